import { randomUUIDv7 } from 'node:crypto';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
// oxlint-disable-next-line typescript/consistent-type-imports -- Nest finds the class by the type at run time
import { PinoLogger } from 'nestjs-pino';
import { PROBLEM_TYPE, problemBody, Refusal } from '../shared/problem.ts';
import type { JsonResponse } from './json-response.ts';

/** Answers whatever is thrown with a problem. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: PinoLogger;

  constructor(log: PinoLogger) {
    this.#log = log;
  }

  catch(cause: unknown, host: ArgumentsHost): void {
    const refusal = cause instanceof Refusal ? cause : new Refusal('internal_error');
    const status = cause instanceof HttpException ? cause.getStatus() : refusal.status;
    if (status === 500) this.#log.error(cause);
    const response = host.switchToHttp().getResponse<JsonResponse>();
    response.status(status).type(PROBLEM_TYPE).json(problemBody(refusal, randomUUIDv7()));
  }
}
