import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../hostile/attack.ts';
import { playBeside } from '../hostile/hostile-play.ts';
import { startTenancy, tenantOwner } from '../hostile/hostile-scene.ts';
import { type Locks, openTransactions } from '../hostile/open-transactions.ts';
import { create, ORDER, placeOrder } from '../hostile/place-order.ts';
import { quietDeliveries } from '../hostile/quiet-deliveries.ts';
import { quietOwners } from '../hostile/quiet-owners.ts';
import { WEBHOOK_SETTINGS, webhookOwner } from '../hostile/webhook-owner.ts';
import { isRecord } from '../load/resource.ts';
import { query } from '../processes/postgres.ts';
import type { Scenario } from '../scenario.ts';
import { waitFor } from '../wait.ts';

/** Owners with an open transaction each. */
const [REUSES, DELETES, HOLDS] = [0, 1, 2];

/** Maximum time of a purge of all other owners, and until a feed is complete again, in milliseconds. */
const [PURGED_MS, COMPLETE_MS] = [15_000, 5000];

const EVERY_MS = 50;

/** An expired key for each order, and old events of the quiet owners. */
const MAKE_OLD = `
  with keys as (
    insert into orders.idempotency (owner_id, key, fingerprint, aggregate, aggregate_id, version, expires_at)
    select owner_id, 'expired', '', 'order', id, 1, now() - interval '1 hour' from orders.orders)
  update orders.changes set occurred_at = now() - interval '60 days' where owner_id like 'quiet-%'`;

/** Counts the quiet owners of whom something old has not been purged. */
const COUNT_OLD = `
  select count(*)::int as count from orders.api_keys as a where a.owner_id like 'quiet-%' and (
    exists (select from orders.idempotency as k where k.owner_id = a.owner_id)
    or not exists (select from orders.feeds as f where f.owner_id = a.owner_id and f.purged > 0))`;

/** The feeds of the owners while the transactions are open, and that of the customer afterwards. */
const DURING = ['order.placed', 'order.placed …', 'order.placed'];
const AFTERWARDS = 'order.placed customer.created';

export const hostileTransactions: Scenario = {
  name: 'hostile-transactions',
  about: 'open transactions of owners that reused an expired key, deleted a customer, and locked an order',
  run: async (stage) => {
    const { postgres, quietKeys, tenantKey, serve } = await startTenancy(stage);
    const server = await serve('server', WEBHOOK_SETTINGS);
    const { url } = server;
    const owners = await quietOwners(url, quietKeys, { readEvents: true });
    stage.atEnd(() => owners.close());
    const orders: string[] = [];
    for (const tenant of [REUSES, DELETES, HOLDS]) orders.push(await placeOrder(url, tenantKey(tenant)));
    await query(postgres.url, MAKE_OLD);
    const deliveries = await quietDeliveries(stage, url, postgres.url, quietKeys);

    // The customer gets no position before the endpoint is enabled.
    const deleting = webhookOwner(stage, url, tenantKey(DELETES));
    const endpoint = await deleting.register(url);
    await deleting.setStatus(endpoint, 'disabled');
    const customer = await create(url, tenantKey(DELETES), '/v1/customers', { email: 'ada@example.com' });

    const locks: readonly Locks[] = [
      async ({ domain }) =>
        (await domain.placeOrder(tenantOwner(REUSES), ORDER, { idempotencyKey: 'expired' }))._unsafeUnwrap(),
      async ({ domain }) => (await domain.deleteCustomer(tenantOwner(DELETES), customer))._unsafeUnwrap(),
      ({ client }) => client.query('select from orders.orders where id = $1 for update', [orders[HOLDS]]),
    ];
    const feedOf = (tenant: number) => readFeed(url, tenantKey(tenant));
    const found: string[] = [];
    const beside = async () => {
      await deleting.setStatus(endpoint, 'enabled');
      for (const tenant of [REUSES, DELETES, HOLDS]) found.push(await feedOf(tenant));
      // Each server purges when it starts.
      await serve('purging-server', WEBHOOK_SETTINGS);
      const countOld = async () => Number((await query(postgres.url, COUNT_OLD))[0]?.['count']);
      let old = await countOld();
      for (const from = performance.now(); old > 0 && performance.now() - from < PURGED_MS; old = await countOld()) {
        await sleep(EVERY_MS);
      }
      return { 'not purged': old };
    };
    const fault = async ({ 'not purged': old = 0 }: Outcome) => {
      if (old > 0) return `something old of ${old} other owners was not purged`;
      if (found.join() !== DURING.join()) return `the feeds were ${found.join()} instead of ${DURING.join()}`;
      const complete = async () => ((await feedOf(DELETES)) === AFTERWARDS ? true : undefined);
      return await waitFor('all events of a customer', COMPLETE_MS, complete).then(() => undefined, String);
    };
    const way = openTransactions(stage, postgres.url, { locks, beside, fault });
    await playBeside({ stage, owners, servers: [server], deliveries }, way);
  },
};

/** Returns the types of an owner's events, and whether further events are missing. */
async function readFeed(url: string, apiKey: string): Promise<string> {
  const response = await fetch(`${url}/v1/events?types=order.placed,customer.created`, {
    headers: { 'x-api-key': apiKey },
  });
  const body: unknown = await response.json();
  if (!isRecord(body) || !Array.isArray(body['data']) || !isRecord(body['page'])) return `${response.status}`;
  const events: readonly unknown[] = body['data'];
  const types = events.map((event) => (isRecord(event) ? String(event['type']) : ''));
  return [...types, ...(body['page']['caught_up'] === true ? [] : ['…'])].join(' ');
}
