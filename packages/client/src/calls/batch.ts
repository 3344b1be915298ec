import { err, type Result } from 'neverthrow';
import type { ImportOptions, OrderInBatch } from '../orders.ts';
import { newKey } from './keys.ts';
import { assertOptions } from './known-options.ts';
import { trusted } from './trusted.ts';

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
 *
 * @throws {TypeError} an option is unknown
 */
export function importOf(inputs: readonly object[], options: ImportOptions): Batch {
  assertOptions(options, ['asHistory', 'signal']);
  const body = { import: true, as_history: options.asHistory, orders: inputs.map((order) => ({ order })) };
  return { keys: inputs.map(() => newKey()), body };
}

/** Returns the results of a batch that failed as a whole. */
export function failedAlike<T, E>(error: object, { keys }: Batch): readonly Result<T, E>[] {
  return keys.map((idempotencyKey) => err(trusted<E>('outcome' in error ? { ...error, idempotencyKey } : error)));
}
