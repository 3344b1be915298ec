import type { Pool, PoolClient, QueryResult } from 'pg';
import { connectionRenewal } from './connection-renewal.ts';
import type { Executor } from './executor.ts';
import { OwnerShares, type Share } from './owner-shares.ts';
import { isOver, isReadOnly, noConnection } from './postgres-errors.ts';
import type { ParameterTexts, Prepared } from './prepared-query.ts';
import { inTransaction, send, type Sender } from './session.ts';

/** The connections to one PostgreSQL, divided among owners; statements about no owner count as one owner's. */
export interface Connections extends Executor {
  readonly pool: Pool;
  /** The number of statements and transactions that wait for a connection. */
  readonly waiting: number;
  /** Takes a connection from the share that belongs to no owner, for statements that are not prepared. */
  reserve(): Promise<Reserved>;
  /** Does `work` in a transaction, which is rolled back when it throws; what it threw is thrown on. */
  transaction<T>(work: (transaction: Executor) => Promise<T>, owner?: string): Promise<T>;
  /** Replaces every connection by a new one, those in use when they are returned: the name may mean another server. */
  renew(): void;
}

/** A connection that is taken out of the pool until it is released. */
export interface Reserved {
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  /** Returns the connection, or closes it when PostgreSQL ended the session. */
  release(): void;
}

/** How connections are used. */
export interface ConnectionsOptions {
  /** Whether a statement is prepared by name, once for a connection. */
  readonly named: boolean;
  /** How long a statement waits for a connection to be free, in milliseconds. */
  readonly waitMs: number;
}

/** The owner of statements that are about none. */
const NO_OWNER = '';

interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (cause: unknown) => void;
}

/** A connection, and the share it is from. */
interface CheckedOut {
  readonly client: PoolClient;
  readonly share: Share;
}

/**
 * Uses the connections of a pool, which are given up when PostgreSQL says that it ends them, or says nothing for too
 * long: `pg` would hand them out again until it sees the socket go.
 */
export function connectionsOf(pool: Pool, { named, waitMs }: ConnectionsOptions): Connections {
  const shares = new OwnerShares(pool.options.max, waitMs);
  const { renew, isStale } = connectionRenewal(pool);
  const endsSession = (cause: unknown): boolean => {
    if (isReadOnly(cause)) renew();
    return isOver(cause);
  };
  const sender: Sender = { named, endsSession };

  const release = (client: PoolClient, share: Share, isUseless: boolean): void => {
    client.release(isUseless || isStale(client));
    shares.giveBack(share);
  };

  const connect = (connected: (cause: unknown, client?: PoolClient) => void): void => {
    try {
      pool.connect(connected);
    } catch (cause) {
      // A client cannot even be made: a certificate that the URL names is missing, for instance.
      connected(cause);
    }
  };

  const start = <Row>(share: Share, statement: Prepared, values: ParameterTexts, settle: Settle<readonly Row[]>) => {
    connect((unconnected, client) => {
      if (!client) {
        shares.giveBack(share);
        settle.reject(noConnection(unconnected));
        return;
      }
      send<Row>(sender, client, statement, values, (cause, rows) => {
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
          shares.giveBack(share);
          reject(noConnection(unconnected));
        });
      };
      const share = shares.take(owner);
      if (share) begin(share);
      else shares.wait(owner, begin, reject);
    });

  const reserve = async (): Promise<Reserved> => {
    const { client, share } = await checkOut(NO_OWNER);
    let isUseless = false;
    return {
      query: (text, values) =>
        client.query(text, values && [...values]).catch((cause: unknown) => {
          isUseless ||= endsSession(cause);
          throw cause;
        }),
      release: () => release(client, share, isUseless),
    };
  };

  return {
    pool,
    isTransaction: false,
    get waiting() {
      return shares.waiting;
    },
    renew,
    reserve,

    execute: <Row>(statement: Prepared, values: ParameterTexts) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        const owner = (statement.owner === undefined ? undefined : values[statement.owner]) ?? NO_OWNER;
        const share = shares.take(owner);
        const settle = { resolve, reject };
        if (share) start(share, statement, values, settle);
        else shares.wait(owner, (later) => start(later, statement, values, settle), reject);
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
      return await inTransaction(sender, client, work, (isUseless) => release(client, share, isUseless));
    },
  };
}
