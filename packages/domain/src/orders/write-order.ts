import { ok, type Result, type ResultAsync } from 'neverthrow';
import { type Timestamp } from '../shared/clock.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { type ChangeOptions, type PreconditionFailed } from '../shared/version.ts';
import type { CustomerErased } from '../customers/customer-errors.ts';
import { changeByCommand, withoutErrors } from '../aggregates/write-aggregate.ts';
import type { ChangedOrder } from './order-kind.ts';
import { applyOrderCommand, type OrderCommand, type OrderCommandRejected } from './apply-order-command.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { checkGuards, type OrderOperation } from './guards.ts';
import type { OrderNotFound, ReferenceTaken, Refused, UnknownCustomer } from './order-errors.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import type { AnyOrder } from './order.ts';
import { presentWrite } from './present-order.ts';

/** The errors of every change of an order. */
export type WriteOrderError<D extends OrderDefinition = OrderDefinition> =
  | ValidationFailed
  | KeyReused
  | OrderNotFound
  | PreconditionFailed
  | Unavailable
  | Refused<D>;

/**
 * Writes what `decide`, a pure function, makes of the newest version of an order, once the command and the options are
 * validated. All use cases that change an order share it. `operation` and the command are the fingerprint of a retry. Guards
 * refuse every write but a correction.
 */
export function writeOrder<Command, Invalid, Rejected>(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  operation: OrderOperation | 'correct_order',
  parsed: Result<Command, Invalid>,
  options: ChangeOptions,
  decide: (before: AnyOrder, command: Command, now: Timestamp) => Result<ChangedOrder, Rejected>,
): ResultAsync<
  OrderWritten<OrderDefinition>,
  Rejected | Invalid | Exclude<WriteOrderError, ValidationFailed> | ReferenceTaken | UnknownCustomer | CustomerErased
> {
  const { definition } = ports;
  const present = presentWrite(definition);
  const target = { store: ports.orders, owner, id, missing: 'order_not_found', operation } as const;
  const guarded = (before: AnyOrder, command: Command, now: Timestamp) =>
    decide(before, command, now)
      .andThrough(({ order, event }) =>
        event && operation !== 'correct_order' ? checkGuards(definition, operation, before, order, now) : ok(null),
      )
      .map(({ order: after, event, reason }) => ({ after, event, reason }));
  return changeByCommand(ports, target, parsed, options, guarded).andThen((written) => ok(present(written)));
}

/** The errors of a change of the reference or the customer alone. */
export const OF_NEW_DETAILS = ['reference_taken', 'unknown_customer', 'customer_erased'] as const;

/** Writes a command on the adjustments or quantities of an order. */
export function writeOrderCommand<Name extends OrderCommand['name'], Invalid extends ValidationFailed>(
  ports: OrderPorts,
  owner: Owner,
  orderId: string | ResourceId,
  name: Name,
  parsed: Result<Omit<OrderCommand, 'name'>, Invalid>,
  options: ChangeOptions,
): ResultAsync<
  OrderWritten<OrderDefinition>,
  OrderCommandRejected<Name> | Invalid | Exclude<WriteOrderError, ValidationFailed>
> {
  return withoutErrors(
    writeOrder(ports, owner, orderId, name, parsed, options, (before, command, now) =>
      applyOrderCommand(ports.definition, before, { ...command, name }, now, ports.ids),
    ),
    ...OF_NEW_DETAILS,
  );
}
