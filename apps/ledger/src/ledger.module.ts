import { type DynamicModule, Module } from '@nestjs/common';
import { AccountDoor } from './http/account-door.ts';
import { AccountsController } from './http/accounts.controller.ts';
import { BooksController } from './http/books.controller.ts';
import { TransferDoor, type TransferDoorParts } from './http/transfer-door.ts';
import { TransfersController } from './http/transfers.controller.ts';
import { BooksQueries } from './postgres/books-queries.ts';
import { LedgerQueries } from './postgres/ledger-queries.ts';

export interface LedgerModuleParts extends TransferDoorParts {
  readonly queries: LedgerQueries;
  readonly books: BooksQueries;
}

@Module({ controllers: [AccountsController, TransfersController, BooksController] })
export class LedgerModule {
  static with(parts: LedgerModuleParts): DynamicModule {
    return {
      module: LedgerModule,
      providers: [
        { provide: TransferDoor, useValue: new TransferDoor(parts) },
        { provide: AccountDoor, useValue: new AccountDoor(parts) },
        { provide: LedgerQueries, useValue: parts.queries },
        { provide: BooksQueries, useValue: parts.books },
      ],
    };
  }
}
