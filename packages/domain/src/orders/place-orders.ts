import { ok, type Result, ResultAsync } from 'neverthrow';
import { assertBatch, caught, commitTogether, inOrder, oneByOne } from '../aggregates/create-together.ts';
import { AUTHOR_OPTIONS, readAuthor } from '../shared/author.ts';
import type { Owner } from '../shared/ids.ts';
import type { InternalError } from '../shared/unavailable.ts';
import type { AuthorOptions, WriteOptions } from '../shared/write-options.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { type NewOrder, type PlaceOrderError, preparePlacing } from './place-order.ts';

/** An order of a batch. */
export interface OrderInBatch<D extends OrderDefinition = DefaultDefinition> extends Pick<
  WriteOptions,
  'idempotencyKey'
> {
  readonly order: NewOrder<D>;
}

/** The errors of an order that is placed together with others. */
export type PlaceOrdersError<D extends OrderDefinition = DefaultDefinition> = PlaceOrderError<D> | InternalError;

/** The options of a batch. */
export type BatchOptions = AuthorOptions;

/** {@link OrderInBatch} with untyped input. */
export interface UntypedOrderInBatch extends Pick<WriteOptions, 'idempotencyKey'> {
  readonly order: unknown;
}

/**
 * Places orders, each with the result of placing it alone with its key, in their order. Those that do not conflict are stored
 * together.
 *
 * @throws {RangeError} there are more than {@link BATCH_MAX}
 */
export function placeOrders(
  ports: OrderPorts,
  owner: Owner,
  inputs: readonly UntypedOrderInBatch[],
  options: BatchOptions = {},
): ResultAsync<readonly Result<OrderWritten<OrderDefinition>, PlaceOrdersError<OrderDefinition>>[], never> {
  assertBatch(inputs);
  readAuthor(options, AUTHOR_OPTIONS);
  const prepared = inputs.map(({ order, idempotencyKey }) =>
    caught(() => preparePlacing(ports, owner, order, { ...options, idempotencyKey })),
  );
  const valid = prepared.flatMap((each) => (each.isOk() ? [each.value] : []));
  const place = async () => {
    // What a guard refuses may be placed already, which is looked up alone. One that throws fails its order alone.
    const open = valid.filter((each) => !caught(() => ok(each.isRefused())).unwrapOr(true));
    const writes = open.map(({ write }) => write());
    const committed = await commitTogether(ports.orders, owner, writes);
    const results = valid.map((placing) => {
      const outcome = committed[open.indexOf(placing)];
      return outcome ? caught(() => placing.settle(outcome)) : placing.alone;
    });
    return inOrder(prepared, await oneByOne(results));
  };
  return ResultAsync.fromSafePromise(place());
}
