import { ok, type ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import type { OrderCommandRejected } from './apply-order-command.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { writeOrderCommand, type WriteOrderError } from './write-order.ts';

/** The errors of cancelling a fulfillment. */
export type CancelFulfillmentError<D extends OrderDefinition = DefaultDefinition> =
  | Exclude<WriteOrderError<D>, ValidationFailed>
  | OrderCommandRejected<'cancel_fulfillment'>;

/** Cancels a fulfillment that was a mistake, unless items of it came back. The order keeps it, with the time. */
export function cancelFulfillment(
  ports: OrderPorts,
  owner: Owner,
  orderId: string | ResourceId,
  fulfillmentId: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, CancelFulfillmentError<OrderDefinition>> {
  const command = ok({ fulfillment_id: String(fulfillmentId).toLowerCase() });
  return writeOrderCommand(ports, owner, orderId, 'cancel_fulfillment', command, options);
}
