import type { Pool, PoolClient, QueryResult } from 'pg';
import type { ScriptExecutor } from './executor.ts';
import { FailingOwners, OwnerShares, type Share } from './owner-shares.ts';
import { PooledClients } from './pooled-clients.ts';
import { type FailureReason } from './postgres-errors.ts';
import { toNoConnection } from './unreachable-database.ts';
import { type ParameterTexts, type Prepared, sendPrepared } from './prepared-query.ts';
import { inTransaction, type HostTransactionOptions, type TransactionSession, type UsedSession } from './session.ts';
import { resetSession } from './session-settings.ts';

/** The connections to one PostgreSQL, shared fairly among owners. Statements without an owner count as one owner. */
export interface Connections extends ScriptExecutor {
  readonly pool: Pool;
  /** The number of statements and transactions that wait for a connection. */
  readonly waiting: number;
  /** The number of failures of statements and connections for each reason, since the pool was opened. */
  readonly failures: ReadonlyMap<FailureReason, number>;
  /** Takes a connection from the share without an owner, for statements that are not prepared. */
  reserve(): Promise<Reserved>;
  /**
   * Runs `work` in a transaction. When `work` throws, rolls back and throws the same error.
   *
   * @param host for work that runs statements of a host: the transaction has a maximum age, and afterwards the session is
   *   reset, or checked in a pool of the host
   */
  transaction<T>(
    work: (transaction: TransactionSession) => Promise<T>,
    owner?: string,
    host?: HostTransactionOptions,
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
  const clients = new PooledClients(pool, shared, { named, limitMs });
  const { sender } = clients;
  // Statements that wait for a lock hold the connections, and all others time out without having met the lock.
  const shares = new OwnerShares(pool.options.max, waitMs, () => {
    const reason = clients.lastFailure(waitMs);
    return reason === undefined ? '' : `; statements that had one failed: ${reason}`;
  });
  const failing = new FailingOwners();

  const release = (client: PoolClient, share: Share, isUnusable: boolean): void => {
    clients.offer(client, isUnusable);
    shares.release(share);
    clients.giveBack();
  };

  /** Calls `begin` with a connection from the share of an owner, or `reject` with why there is none. */
  const take = (
    owner: string,
    begin: (client: PoolClient, share: Share) => void,
    reject: (cause: unknown) => void,
  ): void => {
    const connect = (share: Share): void =>
      clients.connect((unconnected, client) => {
        if (client) {
          begin(client, share);
          return;
        }
        shares.release(share);
        reject(toNoConnection(unconnected));
      });
    const sharing = failing.shareOf(owner);
    const share = shares.take(sharing);
    if (share) connect(share);
    else shares.wait(sharing, connect, reject);
  };

  const checkOut = (owner: string): Promise<CheckedOut> =>
    new Promise((resolve, reject) => take(owner, (client, share) => resolve({ client, share }), reject));

  const reserve = async (): Promise<Reserved> => {
    const { client, share } = await checkOut(NO_OWNER);
    let isUnusable = false;
    return {
      query: (text, values) =>
        client.query(text, values && [...values]).catch((cause: unknown) => {
          isUnusable ||= clients.endsSession(cause);
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
    failures: clients.failures,
    renew: () => clients.renew(),
    reserve,

    execute: <Row>(statement: Prepared, values: ParameterTexts) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        const owner = (statement.owner === undefined ? undefined : values[statement.owner]) ?? NO_OWNER;
        const send = (client: PoolClient, share: Share): void =>
          sendPrepared<Row>(sender, client, statement, values, (cause, rows) => {
            failing.record(owner, cause);
            release(client, share, cause !== null && clients.endsSession(cause));
            if (cause) reject(cause);
            else resolve(rows);
          });
        take(owner, send, reject);
      }),

    run: async (script) => {
      const reserved = await reserve();
      try {
        await reserved.query(script);
      } finally {
        reserved.release();
      }
    },

    transaction: async (work, owner = NO_OWNER, host) => {
      const { client, share } = await checkOut(owner);
      const end = ({ isUnusable, isTouched }: UsedSession): void => {
        if (isUnusable || !isTouched) release(client, share, isUnusable);
        // Not awaited: the result of the transaction does not depend on it.
        else void resetSession(client, shared).then((isReset) => release(client, share, !isReset));
      };
      return await failing.recordOf(owner, inTransaction(sender, client, work, end, host));
    },
  };
}
