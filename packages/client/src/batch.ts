import { err, type Result } from 'neverthrow';
import { newKey } from './calls/keys.ts';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import type { DefaultDefinition, Definition } from './definition.ts';
import type { ChangedBy, RequestOptions, WriteOptions } from './options.ts';
import type { NewOrder } from './schemas.ts';

/** An order of a batch, with the key of its own. Default: a new one, which the result has. */
export interface OrderInBatch<D extends Definition = DefaultDefinition> extends Pick<WriteOptions, 'idempotencyKey'> {
  readonly order: NewOrder<D>;
}

/** Options of a batch. */
export interface BatchOptions extends RequestOptions, ChangedBy {}

/** Options of an import. */
export interface ImportOptions extends BatchOptions {
  /** Whether the orders are from before the rules of the server, so that none refuses them. Default: no. */
  readonly asHistory?: boolean | undefined;
}

/** A batch as the API takes it, and the key of each order. */
export interface Batch {
  readonly keys: readonly string[];
  readonly body: object;
}

/** Returns the batch of new orders. */
export function batchOf(inputs: readonly Pick<OrderInBatch, 'idempotencyKey' | 'order'>[]): Batch {
  const keys = inputs.map(({ idempotencyKey = newKey() }) => idempotencyKey);
  return { keys, body: { orders: inputs.map(({ order }, index) => ({ idempotency_key: keys[index], order })) } };
}

/**
 * Returns the batch of an import, whose keys only name its orders.
 */
export function importOf(inputs: readonly object[], options: Pick<ImportOptions, 'asHistory'>): Batch {
  const body = { import: true, as_history: options.asHistory, orders: inputs.map((order) => ({ order })) };
  return { keys: inputs.map(() => newKey()), body };
}

/** Returns the results of a batch that failed as a whole. */
export function failedAlike<T, E>(error: object, { keys }: Batch): readonly Result<T, E>[] {
  return keys.map((idempotencyKey) =>
    err(uncheckedCast<E>('idempotencyKey' in error ? { ...error, idempotencyKey } : error)),
  );
}
