import { randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Domain } from '@orders/domain';
import { type Database, openDatabase, TransactionFailed } from '@orders/persistence';
import type { PostgresProxy } from '@orders/postgres-proxy';
import { ok, type Result } from 'neverthrow';
import { Client } from 'pg';
import { hostOrmAt, PickUp } from './host-tables.ts';
import { AT, ITEM } from './a-host.ts';

/** The programs of a host, opened through a proxy. */
export interface Host {
  readonly database: Database<MikroORM['em']>;
  readonly orm: MikroORM;
  readonly proxyUrl: string;
}

/** Opens the programs of a host, with a connection each, so that they execute only requested statements from here on. */
export async function openHost(proxy: PostgresProxy): Promise<Host> {
  const orm = hostOrmAt(proxy.url);
  const database = openDatabase({ url: proxy.url, orm, poolMax: 1 });
  await database.ping();
  await orm.em.fork().execute('select 1');
  return { database, orm, proxyUrl: proxy.url };
}

/** A transaction that places an order, cancels the order `id`, and adds a row of the host. */
export interface HostTransaction {
  readonly name: string;
  /** Whether `database.transaction` begins and ends it. */
  readonly isOwn: boolean;
  /** Throws if it was not committed. */
  readonly run: (host: Host, owner: string, id: string) => Promise<void>;
}

/** Places an order and cancels another, each with a key; returns the id of the first. Throws the failure. */
async function writeBoth(domain: Domain, owner: string, id: string): Promise<string> {
  const placed = valueOf(await domain.placeOrder(owner, { items: [ITEM] }, { idempotencyKey: 'place' }));
  valueOf(await domain.cancelOrder(owner, id, {}, { idempotencyKey: 'cancel' }));
  return placed.order.id;
}

function valueOf<T>(result: Result<T, { readonly type: string; readonly cause?: unknown }>): T {
  if (result.isOk()) return result.value;
  throw result.error instanceof Error ? result.error : result.error.cause;
}

const INSERT = `insert into shop.pick_ups values ($1, $2, $3) on conflict do nothing`;

async function addByEm(em: MikroORM['em'], id: string, shelf: string): Promise<void> {
  if (!(await em.findOne(PickUp, { order_id: id }))) em.create(PickUp, { order_id: id, at: AT, shelf });
}

/** Every way to add a row of the host in one transaction with writes of the domain. */
export const HOST_TRANSACTIONS: readonly HostTransaction[] = [
  {
    name: 'database.transaction with a statement of its client',
    isOwn: true,
    run: async ({ database }, owner, id) => {
      const work = database.transaction(async ({ domain, client }) => {
        const placed = await writeBoth(domain, owner, id);
        await client.query(INSERT, [placed, AT, owner]);
        return ok('done');
      });
      valueOf(await work);
    },
  },
  {
    name: 'database.transaction with an entity',
    isOwn: true,
    run: async ({ database }, owner, id) => {
      const work = database.transaction(async ({ domain, em }) => {
        const placed = await writeBoth(domain, owner, id);
        await addByEm(em, placed, owner);
        return ok('done');
      });
      valueOf(await work);
    },
  },
  {
    name: 'a joined transaction of an EntityManager',
    isOwn: false,
    run: async ({ database, orm }, owner, id) => {
      await orm.em.fork().transactional(async (em) => {
        const { domain } = await database.joinTransaction(em);
        const placed = await writeBoth(domain, owner, id);
        await addByEm(em, placed, owner);
      });
    },
  },
  {
    name: 'a joined transaction of a client of pg',
    isOwn: false,
    run: async ({ database, proxyUrl }, owner, id) => {
      const client = new Client({ connectionString: proxyUrl });
      client.on('error', () => undefined);
      await client.connect();
      try {
        await client.query('begin');
        const { domain } = await database.joinTransaction(client);
        const placed = await writeBoth(domain, owner, id);
        await client.query(INSERT, [placed, AT, owner]);
        await client.query('commit');
      } finally {
        await client.end();
      }
    },
  },
];

/** Stores the order that the transaction cancels, for an owner of its own. */
export async function prepare(direct: Domain): Promise<{ readonly owner: string; readonly id: string }> {
  const owner = randomUUID();
  const placed = (await direct.placeOrder(owner, { items: [ITEM] }))._unsafeUnwrap();
  return { owner, id: placed.order.id };
}

/** What an owner has before and after the transaction. */
export const NOTHING = { statuses: ['pending'], events: 1, keys: [], rows: 0 };
export const EVERYTHING = { statuses: ['cancelled', 'pending'], events: 3, keys: ['cancel', 'place'], rows: 1 };

/** Returns what an owner has: its orders, events and keys, and the rows of the host that belong to its orders. */
export async function storedOf(session: Client, owner: string): Promise<unknown> {
  const { rows } = await session.query(
    `select
       (select json_agg(status order by status) from orders where owner_id = '${owner}') as statuses,
       (select count(*)::int from changes where owner_id = '${owner}') as events,
       (select coalesce(json_agg(key order by key), '[]') from idempotency where owner_id = '${owner}') as keys,
       (select count(*)::int from shop.pick_ups join orders on id = order_id
        where shelf = '${owner}' and status = 'pending' and owner_id = '${owner}') as rows`,
  );
  return rows[0];
}

/** Runs a transaction; returns the error with which it failed, or `null`. */
export async function errorOf(running: Promise<void>): Promise<unknown> {
  try {
    await running;
    return null;
  } catch (cause) {
    return cause;
  }
}

/** Returns a failure of a transaction; `null` for errors of the host's own programs. */
export function failureIn(error: unknown): TransactionFailed | null {
  return error instanceof TransactionFailed ? error : null;
}
