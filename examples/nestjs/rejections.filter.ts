import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus, Inject, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Rejected } from '@orders/domain';
import { TransactionFailed } from '@orders/persistence';

/** Every other rejection is a conflict with what is stored. */
const STATUS = new Map([
  ['validation_failed', HttpStatus.UNPROCESSABLE_ENTITY],
  ['order_not_found', HttpStatus.NOT_FOUND],
]);

/** Responds to what `orThrow` throws: with the details of a rejection, and without those of a failure. */
@Catch(Rejected, TransactionFailed)
export class RejectionsFilter implements ExceptionFilter {
  constructor(@Inject(HttpAdapterHost) private readonly platform: HttpAdapterHost) {}

  catch(error: Rejected | TransactionFailed, host: ArgumentsHost): void {
    const isRejection = error instanceof Rejected && error.type !== 'unavailable';
    const details = isRejection ? error.details : { type: 'unavailable' };
    const status = isRejection ? (STATUS.get(error.type) ?? HttpStatus.CONFLICT) : HttpStatus.SERVICE_UNAVAILABLE;
    if (!isRejection) new Logger(RejectionsFilter.name).error(error.cause ?? error);
    this.platform.httpAdapter.reply(host.switchToHttp().getResponse(), details, status);
  }
}
