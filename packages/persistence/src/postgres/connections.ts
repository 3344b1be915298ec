import type { Pool, PoolClient, QueryResult } from 'pg';
import type { ScriptExecutor } from './executor.ts';
import { FailingOwners, OwnerShares, type Share } from './owner-shares.ts';
import {
  FAILURE_REASONS,
  type FailureReason,
  failureReason,
  isSessionEnding,
  isReadOnly,
  toNoConnection,
} from './postgres-errors.ts';
import { type ParameterTexts, type Prepared, sendPrepared } from './prepared-query.ts';
import { inTransaction, type HostTransactionOptions, type Sender, type TransactionSession } from './session.ts';
import { resetSession, SESSION_SETTINGS, type SessionSettings, unsuitable } from './session-settings.ts';

/** The connections to one PostgreSQL, shared fairly among owners. Statements without an owner count as one owner. */
export interface Connections extends ScriptExecutor {
  readonly pool: Pool;
  /** The number of statements and transactions that wait for a connection. */
  readonly waiting: number;
  /** The number of failures of statements and connections for each reason, since the pool was opened. */
  readonly failures: ReadonlyMap<FailureReason, number>;
  /** Takes a connection from the share without an owner, for statements that are not prepared. */
  reserve(): Promise<Reserved>;
  /** Runs `work` in a transaction. When `work` throws, rolls back and throws the same error. */
  transaction<T>(work: (transaction: TransactionSession) => Promise<T>, owner?: string): Promise<T>;
  /**
   * Does the same for work that runs statements of a host. The transaction has a maximum age. Afterwards the session is
   * reset, or checked in a pool of the host.
   */
  hostTransaction<T>(
    work: (transaction: TransactionSession) => Promise<T>,
    options: HostTransactionOptions & { readonly owner?: string | undefined },
  ): Promise<T>;
  /** Replaces every connection, those in use when they are returned: the host name may resolve to another server. */
  renew(): void;
}

/** A connection that is taken out of the pool until it is released. */
export interface Reserved {
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  /** Returns the connection to the pool, or closes it when PostgreSQL ended the session. */
  release(): void;
}

/** Options of a pool's use. */
export interface ConnectionsOptions {
  /** Whether statements are prepared by name, once per connection. */
  readonly named: boolean;
  /** Maximum wait for a free connection, in milliseconds. */
  readonly waitMs: number;
  /** Maximum wait for the response to a prepared statement, in milliseconds. Default: that of the pool. */
  readonly limitMs?: number;
  /** Whether the pool belongs to a host, which has chosen the settings of its sessions. Default: `false`. */
  readonly shared?: boolean;
}

/** The owner of statements without one. */
const NO_OWNER = '';

const ignore = (): void => undefined;

interface Settle<T> {
  readonly owner: string;
  readonly resolve: (value: T) => void;
  readonly reject: (cause: unknown) => void;
}

/** A connection, and the share that it was taken from. */
interface CheckedOut {
  readonly client: PoolClient;
  readonly share: Share;
}

/**
 * Returns statement execution over a pool. A connection is closed when PostgreSQL announces the end of its session, or
 * does not respond in time: `pg` would hand it out again until its socket closes.
 */
export function connectionsOf(
  pool: Pool,
  { named, waitMs, limitMs = 0, shared = false }: ConnectionsOptions,
): Connections {
  const failures = new Map<FailureReason, number>(FAILURE_REASONS.map((reason) => [reason, 0]));
  let last: { readonly reason: FailureReason; readonly at: number } | undefined;
  const countFailure = (cause: unknown): void => {
    const reason = failureReason(cause);
    if (reason === null) return;
    failures.set(reason, (failures.get(reason) ?? 0) + 1);
    last = { reason, at: performance.now() };
  };
  // Statements that wait for a lock hold the connections, and all others time out without having met the lock.
  const shares = new OwnerShares(pool.options.max, waitMs, () =>
    last && performance.now() - last.at < waitMs ? `; statements that had one failed: ${last.reason}` : '',
  );
  const failing = new FailingOwners();
  const { renew, wasTaken, discard, isStale } = connectionRenewal(pool);
  const endsSession = (cause: unknown): boolean => {
    if (isReadOnly(cause)) renew();
    countFailure(cause);
    return isSessionEnding(cause);
  };
  const sender: Sender = { named, limitMs, endsSession };

  /** The connection that is being returned, until a waiting statement takes it over. */
  let returned: PoolClient | undefined;
  const takeReturned = (): PoolClient | undefined => {
    const client = returned;
    returned = undefined;
    return client;
  };

  // The pool of a host may have connections without a listener, whose loss would end the process. The statement that
  // uses the lost connection reports it.
  const watch = (client: PoolClient): void => {
    if (shared) client.on('error', ignore);
  };
  const giveBack = (client: PoolClient, isUnusable = false): void => {
    if (shared) client.off('error', ignore);
    client.release(isUnusable);
  };

  const release = (client: PoolClient, share: Share, isUnusable: boolean): void => {
    const isOutdated = isUnusable || isStale(client);
    if (isOutdated || pool.ending) {
      giveBack(client, isOutdated);
      shares.release(share);
      return;
    }
    // The pool would set two timers between two statements. While one owner alone is busy, most of its statements wait.
    returned = client;
    shares.release(share);
    const free = takeReturned();
    if (free) giveBack(free);
  };

  const connect = (connected: (cause: unknown, client?: PoolClient) => void): void => {
    const client = takeReturned();
    if (client) {
      connected(null, client);
      return;
    }
    try {
      pool.connect((cause, taken) => {
        if (taken) watch(taken);
        else countFailure(cause);
        if (!taken || wasTaken(taken) || !shared) connected(cause, taken);
        else checkSession(taken, connected);
      });
    } catch (cause) {
      // Creating the client itself can throw, for instance when a certificate that the URL refers to is missing.
      connected(cause);
    }
  };

  /** Passes a connection on if its session has suitable settings: that of another library may have others. */
  const checkSession = (client: PoolClient, connected: (cause: unknown, client?: PoolClient) => void): void => {
    sendPrepared<SessionSettings>(sender, client, SESSION_SETTINGS, [], (failed, [settings]) => {
      const cause = failed ?? unsuitable(settings);
      if (!cause) {
        connected(null, client);
        return;
      }
      // Its settings may change, so that they are checked again.
      discard(client);
      giveBack(client, failed !== null && endsSession(failed));
      connected(cause);
    });
  };

  const start = <Row>(share: Share, statement: Prepared, values: ParameterTexts, settle: Settle<readonly Row[]>) => {
    connect((unconnected, client) => {
      if (!client) {
        shares.release(share);
        settle.reject(toNoConnection(unconnected));
        return;
      }
      sendPrepared<Row>(sender, client, statement, values, (cause, rows) => {
        failing.record(settle.owner, cause);
        release(client, share, cause !== null && endsSession(cause));
        if (cause) settle.reject(cause);
        else settle.resolve(rows);
      });
    });
  };

  const checkOut = (owner: string): Promise<CheckedOut> =>
    new Promise((resolve, reject) => {
      const begin = (share: Share) => {
        connect((unconnected, client) => {
          if (client) {
            resolve({ client, share });
            return;
          }
          shares.release(share);
          reject(toNoConnection(unconnected));
        });
      };
      const sharing = failing.shareOf(owner);
      const share = shares.take(sharing);
      if (share) begin(share);
      else shares.wait(sharing, begin, reject);
    });

  const reserve = async (): Promise<Reserved> => {
    const { client, share } = await checkOut(NO_OWNER);
    let isUnusable = false;
    return {
      query: (text, values) =>
        client.query(text, values && [...values]).catch((cause: unknown) => {
          isUnusable ||= endsSession(cause);
          throw cause;
        }),
      release: () => release(client, share, isUnusable),
    };
  };

  return {
    pool,
    isTransaction: false,
    get waiting() {
      return shares.waiting;
    },
    failures,
    renew,
    reserve,

    execute: <Row>(statement: Prepared, values: ParameterTexts) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        const owner = (statement.owner === undefined ? undefined : values[statement.owner]) ?? NO_OWNER;
        const sharing = failing.shareOf(owner);
        const share = shares.take(sharing);
        const settle = { owner, resolve, reject };
        if (share) start(share, statement, values, settle);
        else shares.wait(sharing, (later) => start(later, statement, values, settle), reject);
      }),

    run: async (script) => {
      const reserved = await reserve();
      try {
        await reserved.query(script);
      } finally {
        reserved.release();
      }
    },

    transaction: async (work, owner = NO_OWNER) => {
      const { client, share } = await checkOut(owner);
      const done = inTransaction(sender, client, work, ({ isUnusable }) => release(client, share, isUnusable));
      return await failing.recordOf(owner, done);
    },

    hostTransaction: async (work, { owner = NO_OWNER, timeoutMs }) => {
      const { client, share } = await checkOut(owner);
      const done = inTransaction(
        sender,
        client,
        work,
        ({ isUnusable, isTouched }) => {
          if (isUnusable || !isTouched) release(client, share, isUnusable);
          // Not awaited: the result of the transaction does not depend on it.
          else void resetSession(client, shared).then((isReset) => release(client, share, !isReset));
        },
        { timeoutMs },
      );
      return await failing.recordOf(owner, done);
    },
  };
}

/** The minimum interval between renewals, in milliseconds: while no server accepts writes, every write requests one. */
const RENEWAL_INTERVAL_MS = 1000;

/** Replaces the connections of a pool. */
interface ConnectionRenewal {
  /** Closes idle connections, and makes those in use stale; at most once a second. */
  readonly renew: () => void;
  /** Records a connection that is taken from the pool, and returns whether it was taken before. */
  readonly wasTaken: (client: PoolClient) => boolean;
  /** Discards the record of a connection. */
  readonly discard: (client: PoolClient) => void;
  /** Whether a connection must be closed when it is returned. */
  readonly isStale: (client: PoolClient) => boolean;
}

function connectionRenewal(pool: Pool): ConnectionRenewal {
  // The number of renewals when a connection was first taken. The pool of a host has connections that never were.
  const renewals = new WeakMap<PoolClient, number>();
  let count = 0;
  let renewedAt = -Infinity;
  const isStale = (client: PoolClient): boolean => renewals.get(client) !== count;
  return {
    isStale,
    discard: (client) => {
      renewals.delete(client);
    },
    wasTaken: (client) => {
      if (renewals.has(client)) return true;
      renewals.set(client, count);
      return false;
    },
    renew: () => {
      if (performance.now() - renewedAt < RENEWAL_INTERVAL_MS) return;
      renewedAt = performance.now();
      count += 1;
      for (let idle = pool.idleCount; idle > 0; idle -= 1) {
        pool.connect((_, client) => client?.release(isStale(client)));
      }
    },
  };
}
