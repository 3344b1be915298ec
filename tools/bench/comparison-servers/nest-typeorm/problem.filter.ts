import { randomUUIDv7 } from 'node:crypto';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
// oxlint-disable-next-line typescript/consistent-type-imports -- Nest finds the class by the type at run time
import { PinoLogger } from 'nestjs-pino';
import { PROBLEM_TYPE, problemBody, Rejection } from '../shared/problem.ts';
import type { JsonResponse } from './express.ts';

/** Responds to every exception with problem details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: PinoLogger;

  constructor(log: PinoLogger) {
    this.#log = log;
  }

  catch(cause: unknown, host: ArgumentsHost): void {
    const rejection = cause instanceof Rejection ? cause : new Rejection('internal_error');
    const status = cause instanceof HttpException ? cause.getStatus() : rejection.status;
    if (status === 500) this.#log.error(cause);
    const response = host.switchToHttp().getResponse<JsonResponse>();
    response.status(status).type(PROBLEM_TYPE).json(problemBody(rejection, randomUUIDv7()));
  }
}
