import { isDate } from 'node:util/types';
import { CompiledQuery, type ControlledTransaction } from 'kysely';
import type { ClientBase } from 'pg';
import type { Executor } from '../postgres/executor.ts';
import { executeOn } from '../postgres/session.ts';
import type { HostClient, HostEntityManager } from './host.ts';
import { type Turns, turns } from './turns.ts';

/** A transaction of the host. */
export interface HostSession {
  readonly executor: Executor;
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
  if (isClient(host)) return { executor: clientSession(host, named), order: turnsOf(host) };
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

function clientSession(client: ClientBase, named: boolean): Executor {
  return {
    isTransaction: true,
    execute: (statement, values) => executeOn({ named }, client, statement, values),
    run: async (script) => {
      await client.query(script);
    },
  };
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
function kyselySession(transaction: HostTransaction): Executor {
  return {
    isTransaction: true,
    execute: async <Row>({ text }: { readonly text: string }, values: readonly (string | null)[]) => {
      const { rows } = await transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the SQL text determines the row type
      return rows.map(toRow) as readonly Row[];
    },
    run: async (script) => {
      await transaction.executeQuery(CompiledQuery.raw(script));
    },
  };
}

/** Returns a row with times as PostgreSQL's text: the host's connection may parse them. */
function toRow(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, isDate(value) ? value.toISOString().replace('Z', '+00') : value]),
  );
}
