import type { Pool, PoolClient } from 'pg';

/** The minimum interval between renewals, in milliseconds: while no server accepts writes, every write requests one. */
const INTERVAL_MS = 1000;

/** Replaces the connections of a pool. */
export interface ConnectionRenewal {
  /** Closes idle connections, and marks those in use as stale; at most once a second. */
  readonly renew: () => void;
  /** Whether a connection must be closed when it is returned. */
  readonly isStale: (client: PoolClient) => boolean;
}

export function connectionRenewal(pool: Pool): ConnectionRenewal {
  const open = new Set<PoolClient>();
  const stale = new Set<PoolClient>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => {
    open.delete(client);
    stale.delete(client);
  });
  let renewedAt = -Infinity;
  return {
    isStale: (client) => stale.has(client),
    renew: () => {
      if (performance.now() - renewedAt < INTERVAL_MS) return;
      renewedAt = performance.now();
      for (const client of open) stale.add(client);
      for (let idle = pool.idleCount; idle > 0; idle -= 1) {
        pool.connect((_, client) => client?.release(stale.has(client)));
      }
    },
  };
}
