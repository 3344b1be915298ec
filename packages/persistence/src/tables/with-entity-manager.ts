import type { EntityManager } from '@mikro-orm/postgresql';
import type { Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { retry } from '../postgres/retry.ts';
import type { LoadedOrm } from './mikro-orm.ts';
import type { Orm } from './orm.ts';

/** Begins to load MikroORM, so that the first request need not wait for it. Its failure is that of the first use. */
export function beginToLoad(orm: Orm): void {
  void orm.load().catch(() => undefined);
}

/**
 * Runs `work` with an `EntityManager` of its own, and retries it when it certainly had no effect. A failure of the
 * database becomes `unavailable`.
 *
 * `work` opens no transaction, and does not flush, which opens one: MikroORM 7.2.1 does not return a connection that is
 * lost in a transaction.
 */
export function withEntityManager<T>(
  orm: Orm,
  work: (em: EntityManager, loaded: LoadedOrm) => Promise<T>,
): ResultAsync<T, Unavailable> {
  const attempt = async () => {
    const loaded = await orm.load();
    return await work(loaded.mikroOrm.em.fork(), loaded);
  };
  return orUnavailable(retry(attempt));
}
