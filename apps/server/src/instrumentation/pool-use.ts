import type { Database } from '@orders/persistence';

/** How many connections of a pool are in use, and idle; how many requests wait for one; and how many there may be. */
export type PoolUse = Readonly<Record<'active' | 'idle' | 'waiting' | 'max', number>>;

/** Reads how the pool to the primary database is used, whenever it is called. */
export function poolUse({ primary }: Database): () => PoolUse {
  const { pool } = primary;
  return () => ({
    active: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: primary.waiting,
    max: pool.options.max,
  });
}
