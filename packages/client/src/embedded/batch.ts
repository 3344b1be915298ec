import { parseOrderBatch, type UntypedDomain } from '@orders/domain';
import type { Result } from 'neverthrow';
import { type Batch, failedAlike } from '../batch.ts';
import { asSent } from '../calls/json.ts';
import { signalOf } from '../calls/known-options.ts';
import { uncheckedCast } from '../calls/unchecked-cast.ts';
import type { RequestOptions } from '../options.ts';
import { ABORTED, type OwnerContext } from './calls.ts';
import { type AnyError, toClientError } from './errors.ts';

/**
 * Places or imports the orders of a batch, unless its signal is aborted, and returns the result of each.
 *
 * @throws {TypeError} an option is unknown
 */
export async function batch<T, E extends AnyError>(
  { owner, actor }: OwnerContext,
  domain: UntypedDomain,
  sent: Batch,
  options: RequestOptions,
): Promise<readonly Result<T, E>[]> {
  if (signalOf(options)?.aborted === true)
    return failedAlike({ ...ABORTED, outcome: 'unknown', idempotencyKey: '' }, sent);
  const parsed = parseOrderBatch(asSent(sent.body));
  if (parsed.isErr()) return failedAlike(toClientError(parsed.error), sent);
  const { value } = parsed;
  const results = await (value.imports
    ? domain.importOrders(owner, value.orders, { actor, asHistory: value.asHistory })
    : domain.placeOrders(owner, value.orders, { actor }));
  return results._unsafeUnwrap().map((result, index) => {
    const idempotencyKey = sent.keys[index] ?? '';
    return result
      .map(({ order, replayed }) => uncheckedCast<T>({ order, replayed, idempotencyKey }))
      .mapErr((error) => toClientError<E>(error, idempotencyKey));
  });
}
