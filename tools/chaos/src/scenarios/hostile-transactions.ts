import type { OrdersClient } from '@orders/client';
import { openDatabase, type Transaction } from '@orders/persistence';
import { query, waitFor } from '@orders/system-under-test';
import { type Outcome, playBeside, type Way } from '../hostile/play-beside.ts';
import { ORDER, setScene, withDeliveries } from '../hostile/scene.ts';
import type { Scenario, Stage } from '../stage.ts';

/** Owners with an open transaction each. */
const [REUSES, DELETES, HOLDS] = [0, 1, 2];

/** Maximum time of a purge of all other owners, and until a feed is complete again, in milliseconds. */
const [PURGED_MS, COMPLETE_MS] = [15_000, 5000];

/** An expired key for each order, and old events of the quiet owners. */
const MAKE_OLD = `
  with keys as (
    insert into orders.idempotency (owner_id, key, fingerprint, aggregate, aggregate_id, version, expires_at)
    select owner_id, 'expired', '', 'order', id, 1, now() - interval '1 hour' from orders.orders)
  update orders.changes set occurred_at = now() - interval '60 days' where owner_id like 'quiet-%'`;

/** Counts the quiet owners of whom something old has not been purged. */
const COUNT_OLD = `
  select count(*)::int as count from orders.api_keys as a where a.owner_id like 'quiet-%' and (
    exists (select from orders.idempotency as k where k.owner_id = a.owner_id and k.key = 'expired')
    or not exists (select from orders.feeds as f where f.owner_id = a.owner_id and f.purged > 0))`;

/** The feeds of the owners while the transactions are open, and that of the customer afterwards. */
const DURING = ['order.placed', 'order.placed …', 'order.placed'];
const AFTERWARDS = 'order.placed customer.created';

export const hostileTransactions: Scenario = {
  name: 'hostile-transactions',
  about: 'open transactions of owners that reused an expired key, deleted a customer, and locked an order',
  run: async (stage) => {
    // Otherwise the server counts the orders of all owners, for which it gives positions before the transactions are open.
    const bare = await setScene(stage, { STATISTICS: 'off' });
    const { postgres, tenant, serve } = bare;
    const { url } = bare.server;
    const orders: string[] = [];
    for (const number of [REUSES, DELETES, HOLDS])
      orders.push((await tenant(number).client.place(ORDER))._unsafeUnwrap().order.id);
    await query(postgres.url, MAKE_OLD);
    const scene = await withDeliveries(bare);

    // The customer gets no position before the endpoint is enabled.
    const { webhooks, customers } = tenant(DELETES).client;
    const { endpoint } = (await webhooks.create({ url }))._unsafeUnwrap();
    (await webhooks.change(endpoint.id, { status: 'disabled' }))._unsafeUnwrap();
    const { customer } = (await customers.create({ email: 'ada@example.com' }))._unsafeUnwrap();

    const locks: readonly Locks[] = [
      async ({ domain }) =>
        (await domain.placeOrder(tenant(REUSES).owner, ORDER, { idempotencyKey: 'expired' }))._unsafeUnwrap(),
      async ({ domain }) => (await domain.deleteCustomer(tenant(DELETES).owner, customer.id))._unsafeUnwrap(),
      ({ client }) => client.query('select from orders.orders where id = $1 for update', [orders[HOLDS]]),
    ];
    const feedOf = (number: number) => readFeed(tenant(number).client);
    const found: string[] = [];
    const beside = async () => {
      (await webhooks.change(endpoint.id, { status: 'enabled' }))._unsafeUnwrap();
      for (const number of [REUSES, DELETES, HOLDS]) found.push(await feedOf(number));
      // Each server purges when it starts.
      await serve('purging-server');
      const countOld = async () => Number((await query(postgres.url, COUNT_OLD))[0]?.['count']);
      const isPurged = async () => ((await countOld()) === 0 ? true : undefined);
      await waitFor('a purge of all other owners', PURGED_MS, isPurged).catch(() => undefined);
      return { 'not purged': await countOld() };
    };
    const fault = async ({ 'not purged': old = 0 }: Outcome) => {
      if (old > 0) return `something old of ${old} other owners was not purged`;
      if (found.join() !== DURING.join()) return `the feeds were ${found.join()} instead of ${DURING.join()}`;
      const complete = async () => ((await feedOf(DELETES)) === AFTERWARDS ? true : undefined);
      return await waitFor('all events of a customer', COMPLETE_MS, complete).then(() => undefined, String);
    };
    const way = openTransactions(stage, postgres.url, locks, { beside, fault });
    await playBeside(scene, way);
  },
};

/** Returns the types of an owner's events, and whether further events are missing. */
async function readFeed({ events }: OrdersClient): Promise<string> {
  const read = await events.page({ types: ['order.placed', 'customer.created'] });
  if (read.isErr()) return read.error.type;
  const { data, caught_up } = read.value;
  return [...data.map(({ type }) => type), ...(caught_up ? [] : ['…'])].join(' ');
}

/** Locks rows in a transaction. */
type Locks = (transaction: Transaction) => Promise<unknown>;

/**
 * Transactions that an embedder opens together. They stay open until the attack is stopped, and then in a full run until they
 * reach their maximum age. `beside` runs once all hold their locks, and `fault` after their end.
 */
function openTransactions(
  stage: Stage,
  databaseUrl: string,
  locks: readonly Locks[],
  { beside, fault }: Pick<Required<Way>, 'fault'> & { readonly beside: () => Promise<Outcome> },
): Way {
  const start = () => {
    const stopped = new AbortController();
    const database = openDatabase({ url: databaseUrl });
    stage.atEnd(async () => {
      stopped.abort();
      await database.close();
    });
    let open = 0;
    const begin = (lock: Locks) => {
      const { promise: held, resolve, reject } = Promise.withResolvers<undefined>();
      const work = async (transaction: Transaction) => {
        await lock(transaction);
        open += 1;
        resolve(undefined);
        // PostgreSQL ends a transaction that idles.
        while (stage.full || !stopped.signal.aborted) await transaction.client.query('select pg_sleep(0.5)');
        throw new Error('rolled back');
      };
      const end = (cause: unknown) => {
        open -= 1;
        reject(cause);
      };
      return { held, ended: database.transaction(work).then(end, end) };
    };
    const transactions = locks.map(begin);
    const finished = Promise.all(transactions.map(({ held }) => held)).then(async () => {
      const outcome = await beside();
      return { ...outcome, 'still open': open };
    });
    finished.catch(() => undefined); // The caller that awaits it receives its failure.
    const stop = async () => {
      stopped.abort();
      for (const { ended } of transactions) await ended;
      return await finished;
    };
    return { finished, stop };
  };
  return {
    name: 'open transactions',
    start,
    finishes: true,
    fault: async (outcome) =>
      outcome['still open'] === locks.length ? await fault(outcome) : 'a transaction ended before the attack',
  };
}
