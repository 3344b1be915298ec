import { CompiledQuery, type ControlledTransaction } from 'kysely';
import type { ClientBase } from 'pg';
import { executeOn } from '../postgres/session.ts';
import type { SessionExecutor } from '../sql/bound-statements.ts';
import type { HostClient, HostEntityManager } from './host.ts';
import { type Turns, turns } from './turns.ts';

/** A transaction of the host. */
export interface HostSession {
  readonly executor: SessionExecutor;
  /** The turns of all use cases inside it, however often it was joined. */
  readonly order: Turns;
}

/**
 * Returns the transaction of an `EntityManager` or client of the host.
 *
 * @throws {TypeError} it has no transaction, or is none of both
 */
export function hostSession(host: HostEntityManager | HostClient, named: boolean): HostSession {
  if ('getTransactionContext' in host) {
    const transaction = transactionOf(host);
    return { executor: kyselySession(transaction), order: turnsOf(transaction) };
  }
  if (isClient(host)) {
    listenTo(host);
    return { executor: clientSession(host, named), order: turnsOf(host) };
  }
  throw new TypeError(
    'joinTransaction needs an EntityManager of MikroORM 7, or a client of pg 8 without native bindings',
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
  // Only the client in JavaScript has a connection that our queries can be written to.
  return 'connection' in host && typeof host.connection === 'object' && 'query' in host;
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
      const { rows } = await transaction.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
      return rows;
    },
  };
}
