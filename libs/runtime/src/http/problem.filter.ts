import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { throwError } from 'rxjs';
import { answerProblem, type ProblemAnswers } from './answer-problem.ts';

/** The one filter of every service: whatever a request throws becomes a problem. */
export class ProblemFilter implements ExceptionFilter {
  readonly #answers: ProblemAnswers;

  constructor(answers: ProblemAnswers) {
    this.#answers = answers;
  }

  catch(error: unknown, host: ArgumentsHost): unknown {
    // Messages have an error policy of their own: a filter must not turn their failures into
    // objects (B-01, B-02).
    if (host.getType() !== 'http') return throwError(() => error);
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    answerProblem(error, { request, reply: http.getResponse<FastifyReply>() }, this.#answers);
    return undefined;
  }
}

// The decorator as a plain call: this library runs from its sources too, where Node strips types
// only.
Catch()(ProblemFilter);
