import { isNativeError } from 'node:util/types';
import type { ControlledTransaction, RawNode } from 'kysely';
import type { ClientBase } from 'pg';
import { executeOn } from '../postgres/session.ts';
import type { SessionExecutor } from '../sql/bound-statements.ts';
import { errorCode } from '../postgres/error-code.ts';
import type { Host, HostExecutor, HostEntityManager } from './host.ts';
import { type Turns, turns } from './turns.ts';

/** A transaction of the host. */
export interface HostSession {
  readonly executor: SessionExecutor;
  /** The turns of all use cases inside it, however often it was joined. */
  readonly order: Turns;
}

/**
 * Returns the transaction of the host.
 *
 * @throws {TypeError} it has no transaction, or is nothing that has one
 */
export function hostSession(host: Host, named: boolean): HostSession {
  if ('getTransactionContext' in host) {
    const transaction = transactionOf(host);
    return { executor: kyselySession(transaction), order: turnsOf(transaction) };
  }
  if (isClient(host)) {
    listenTo(host);
    return { executor: clientSession(host, named), order: turnsOf(host) };
  }
  if (isExecutor(host)) return { executor: executorSession(host), order: turnsOf(host) };
  throw new TypeError(
    'joinTransaction needs an EntityManager of MikroORM 7, a client of pg 8, or an object with query(text, values)',
  );
}

const TURNS = new WeakMap<object, Turns>();

function turnsOf(transaction: object): Turns {
  const known = TURNS.get(transaction) ?? turns();
  TURNS.set(transaction, known);
  return known;
}

const LISTENED = new WeakSet<ClientBase>();

/**
 * Keeps the loss of a connection between two statements from ending the process. The pool of a host does not listen to a
 * client in use; the next statement reports the loss.
 */
function listenTo(client: ClientBase): void {
  if (LISTENED.has(client)) return;
  LISTENED.add(client);
  client.on('error', () => undefined);
}

function clientSession(client: ClientBase, named: boolean): SessionExecutor {
  return { execute: (statement, values) => executeOn({ named }, client, statement, values) };
}

function isClient(host: object): host is ClientBase {
  if (!('connection' in host && 'query' in host)) return false;
  // Only the client in JavaScript has a connection that our queries can be written to.
  const { connection } = host;
  return typeof connection === 'object' && connection !== null && 'parsedStatements' in connection;
}

function isExecutor(host: object): host is HostExecutor {
  // A pool would execute each statement in a transaction of its own.
  return 'query' in host && typeof host.query === 'function' && !('totalCount' in host);
}

function executorSession(host: HostExecutor): SessionExecutor {
  return {
    execute: async <Row>({ text }: { readonly text: string }, values: readonly (string | null)[]) => {
      let rows: unknown;
      try {
        rows = await host.query(text, [...values]);
      } catch (cause) {
        throw errorOfDriver(host, cause);
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the SQL text determines the row type
      if (Array.isArray(rows)) return rows as readonly Row[];
      throw new TypeError('query must return the rows of its statement, as an array');
    },
  };
}

/** Returns the error of the driver that a library has wrapped. */
function errorOfDriver({ sqlState }: Pick<HostExecutor, 'sqlState'>, cause: unknown): unknown {
  const code = sqlState?.(cause);
  if (code !== undefined) return Object.assign(new Error('the statement failed', { cause }), { code });
  const isWrapped = isNativeError(cause) && errorCode(cause) === '' && isNativeError(cause.cause);
  return isWrapped ? errorOfDriver({}, cause.cause) : cause;
}

type HostTransaction = Pick<ControlledTransaction<unknown>, 'executeQuery'>;

function transactionOf(em: HostEntityManager): HostTransaction {
  const context = em.getTransactionContext();
  if (!context)
    throw new TypeError('the EntityManager is not in a transaction: use the one that transactional() passes');
  if (!isTransaction(context))
    throw new TypeError('joinTransaction needs an EntityManager of MikroORM 7 for PostgreSQL');
  return context;
}

function isTransaction(context: object): context is HostTransaction {
  return 'executeQuery' in context && typeof context.executeQuery === 'function';
}

/** Returns an executor over a transaction of MikroORM, whose connection is not accessible otherwise. */
function kyselySession(transaction: HostTransaction): SessionExecutor {
  return {
    execute: async <Row>({ text }: { readonly text: string }, values: readonly (string | null)[]) => {
      // What `CompiledQuery.raw` of Kysely returns, without a copy of it.
      const query: RawNode = { kind: 'RawNode', sqlFragments: [text], parameters: [] };
      const compiled = { query, queryId: { queryId: '' }, sql: text, parameters: [...values] };
      const { rows } = await transaction.executeQuery<Row>(compiled);
      return rows;
    },
  };
}
