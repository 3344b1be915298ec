import type { EntityManager } from '@mikro-orm/postgresql';
import type { Unavailable } from '@orders/domain';
import { ResultAsync } from 'neverthrow';
import { toUnavailable } from '../postgres/postgres-errors.ts';
import { retry } from '../postgres/retry.ts';

/**
 * Runs `work` with an `EntityManager` of its own, and retries it when it certainly had no effect. A failure of the
 * database becomes `unavailable`.
 *
 * `work` opens no transaction, and does not flush, which opens one: MikroORM 7.2.1 does not return a connection that is
 * lost in a transaction.
 */
export function withEntityManager<T>(
  { em }: { readonly em: EntityManager },
  work: (em: EntityManager) => Promise<T>,
): ResultAsync<T, Unavailable> {
  const attempt = () => work(em.fork());
  return ResultAsync.fromPromise(
    attempt().catch((cause: unknown) => retry(attempt, cause)),
    toUnavailable,
  );
}
