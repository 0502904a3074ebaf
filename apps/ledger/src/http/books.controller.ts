import { Controller, Get, Inject } from '@nestjs/common';
import { RequireScope } from '@compasso/runtime';
import { type Books, BooksQueries } from '../postgres/books-queries.ts';

@Controller('v1/books')
export class BooksController {
  private readonly queries: BooksQueries;

  constructor(@Inject(BooksQueries) queries: BooksQueries) {
    this.queries = queries;
  }

  /** The whole of the books at one moment: sums, counts, and every rule that does not hold. */
  @Get()
  @RequireScope('books:read')
  read(): Promise<Books> {
    return this.queries.books();
  }
}
