import { playBeside, type Way } from '../hostile/hostile-play.ts';
import { startTenancy, tenantOwner } from '../hostile/hostile-scene.ts';
import { lockedOrder } from '../hostile/locked-order.ts';
import { quietOwners } from '../hostile/quiet-owners.ts';
import { requestText } from '../hostile/request-text.ts';
import { requestsInTurn, type Target } from '../hostile/ways.ts';
import { query } from '../processes/postgres.ts';
import type { Scenario } from '../scenario.ts';

const [LOCKS, LISTS, PAGES] = [0, 1, 2];

/** Customers and orders of an owner with much data; the issue was found with 400,000 customers. */
const [CUSTOMERS, CUSTOMERS_FULL, ORDERS] = [100_000, 400_000, 15_000];

/** Lists within the limit of an owner, and how many of them wait at the same time. */
const [LISTS_MAX, AT_ONCE] = [580, 40];

export const hostileOwners: Scenario = {
  name: 'hostile-owners',
  about: 'one owner with a locked order, with the slowest lists on every connection, and with deep pages',
  run: async (stage) => {
    const { postgres, quietKeys, tenantKey, serve } = await startTenancy(stage);
    stage.progress('filling tables');
    const customers = stage.full ? CUSTOMERS_FULL : CUSTOMERS;
    for (const tenant of [LISTS, PAGES]) await fillTables(postgres.url, tenantOwner(tenant), customers, ORDERS);
    const server = await serve('server');
    const owners = await quietOwners(server.url, quietKeys);
    stage.atEnd(() => owners.close());
    const scene = { stage, owners, servers: [server] };
    const target = { stage, url: server.url };
    await playBeside(scene, lockedOrder(target, postgres.url, tenantKey(LOCKS)));
    const slowest = ['/v1/orders?limit=100&offset=10000&sort=updated_at', '/v1/orders?limit=100&offset=9000'];
    await playBeside(scene, lists(target, 'the slowest lists at once', tenantKey(LISTS), slowest));
    const deep = [
      '/v1/customers?limit=100',
      '/v1/customers?limit=100&offset=10000&sort=updated_at',
      '/v1/customers?limit=100&offset=10000',
      '/v1/orders?limit=100&offset=10000',
    ];
    await playBeside(scene, lists(target, 'deep pages and customers', tenantKey(PAGES), deep));
  },
};

function lists(target: Target, name: string, apiKey: string, paths: readonly string[]): Way {
  const texts = paths.map((path) => requestText({ path, apiKey }));
  return requestsInTurn(target, name, texts, { connections: AT_ONCE, count: LISTS_MAX });
}

/** Gives an owner customers and orders of one line, as many as clients place in years, one a second. */
async function fillTables(databaseUrl: string, owner: string, customers: number, orders: number): Promise<void> {
  const moment = `lateral (select now() - n * interval '1 second') as moment (at)`;
  await query(
    databaseUrl,
    `insert into orders.customers (owner_id, id, email, email_key, metadata, version, created_at, updated_at)
     select $1, gen_random_uuid(), n || '@example.com', n || '@example.com', '{}', 1, at, at
     from generate_series(1, $2::int) n, ${moment}`,
    [owner, customers],
  );
  await query(
    databaseUrl,
    `insert into orders.orders
       (owner_id, id, status, currency, total_amount, item_count, items, metadata, version, created_at, updated_at)
     select $1, gen_random_uuid(), 'pending', 'EUR', 2990, 1,
       json_build_array(json_build_object('id', gen_random_uuid(), 'sku', 'MUG-330', 'name', 'Stoneware mug 330 ml',
         'quantity', 1, 'unit_amount', 2990, 'total_amount', 2990)),
       '{"channel":"web"}', 1, at, at
     from generate_series(1, $2::int) n, ${moment}`,
    [owner, orders],
  );
  await query(databaseUrl, 'analyze orders.customers, orders.orders');
}
