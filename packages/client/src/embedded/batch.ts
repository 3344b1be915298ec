import { parseOrderBatch, type UntypedDomain } from '@orders/domain';
import type { Result } from 'neverthrow';
import { type Batch, type BatchOptions, failedAlike } from '../batch.ts';
import { asSent } from '../calls/json.ts';
import { userOf } from '../calls/keys.ts';
import { assertOptions, BATCH_OPTIONS } from '../calls/known-options.ts';
import { uncheckedCast } from '../calls/unchecked-cast.ts';
import { ABORTED, type OwnerContext } from './calls.ts';
import { type AnyError, toClientError } from './errors.ts';

/**
 * Places or imports the orders of a batch, unless its signal is aborted, and returns the result of each.
 *
 * @throws {TypeError} an option is unknown
 */
export async function batch<T, E extends AnyError>(
  context: OwnerContext,
  domain: UntypedDomain,
  sent: Batch,
  options: BatchOptions,
): Promise<readonly Result<T, E>[]> {
  assertOptions(options, BATCH_OPTIONS);
  const user = userOf(options, context);
  if (user.isErr()) return failedAlike(user.error, sent);
  if (options.signal?.aborted === true)
    return failedAlike({ ...ABORTED, outcome: 'unknown', idempotencyKey: '' }, sent);
  const parsed = parseOrderBatch(asSent(sent.body));
  if (parsed.isErr()) return failedAlike(toClientError(parsed.error), sent);
  const { value } = parsed;
  const { owner, actor } = context;
  const author = { actor, externalUserId: user.value };
  const results = await (value.imports
    ? domain.importOrders(owner, value.orders, { ...author, asHistory: value.asHistory })
    : domain.placeOrders(owner, value.orders, author));
  return results._unsafeUnwrap().map((result, index) => {
    const idempotencyKey = sent.keys[index] ?? '';
    return result
      .map(({ order, replayed }) => uncheckedCast<T>({ order, replayed, idempotencyKey }))
      .mapErr((error) => toClientError<E>(error, idempotencyKey));
  });
}
