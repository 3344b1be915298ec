import type { JobWork } from '@orders/domain/operators';
import { openDatabase, postgresOperatorJobs } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const [OWNERS, EACH, KILLS] = [8, 50, 4];
const TIMEOUT_MS = 300_000;
const BY = { actor: 'command:test', reason: 'killed' };
const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };

const ENDPOINT = '019b0000-0001-7000-8000-000000000001';

/** Gives the events of new orders their positions, and stores a failed delivery of each. The servers send none. */
const DELIVER = `with numbered as (
    select owner_id, event_id, row_number() over (partition by owner_id order by event_id) as n
    from orders.changes where type = 'order.placed')
  update orders.changes as c set position = n from numbered as o
    where o.owner_id = c.owner_id and o.event_id = c.event_id and c.position is null;
  insert into orders.feeds (owner_id, purged) select distinct owner_id, 0 from orders.changes on conflict do nothing;
  insert into orders.webhook_endpoints (owner_id, id, url, include, status, secrets, start, slot, version, created_at, updated_at)
    select owner_id, '${ENDPOINT}', 'https://receiver.example', '[]', 'enabled', '[]', 0, 1, 1, now(), now() from orders.feeds
    on conflict do nothing;
  insert into orders.webhook_deliveries
    select owner_id, '${ENDPOINT}', position, event_id, type, aggregate, aggregate_id, version, 'failed', 8, false, false,
      null, null, 8, occurred_at, 500, null, 1 from orders.changes where type = 'order.placed' on conflict do nothing`;

/** Notes what is acted on, as slowly as a large database does it. */
const NOTE = `create table orders.acted (id uuid);
  create function orders.note() returns trigger language plpgsql as $$ begin
    insert into orders.acted values ((to_jsonb(new) ->> tg_argv[0])::uuid);
    perform pg_sleep(0.01);
    return new; end $$;
  create trigger note after update on orders.orders for each row when (new.status = 'cancelled')
    execute function orders.note('id');
  create trigger note after update on orders.webhook_deliveries for each row when (new.redelivery)
    execute function orders.note('event_id')`;

it.each<JobWork>([
  { kind: 'cancel', filter: { currency: 'EUR', total_from: 300 } },
  { kind: 'redeliver', filter: { status: 'failed' } },
])(
  'acts once on each, and on nothing later, while the servers that work on it are killed: $kind',
  async (work) => {
    const postgres = await aDatabase();
    const { url, execute } = postgres;
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const place = async () => {
      for (let owner = 1; owner <= OWNERS; owner += 1) {
        const orders = Array.from({ length: EACH }, () => ({ order: { items: [ITEM] } }));
        (await database.transaction(({ domain }) => domain.placeOrders(`owner ${owner}`, orders)))._unsafeUnwrap();
      }
      await execute(DELIVER);
    };
    await place();
    await execute(NOTE);
    const start = (name: string) => {
      const named = Object.assign(new URL(url), { search: `?application_name=${name}` });
      return startServerOn({ ...postgres, url: named.href }, { WEBHOOKS: 'off', STATISTICS: 'off' });
    };
    const servers = { one: await start('one'), other: await start('other') };
    const jobs = postgresOperatorJobs(database);
    const { id } = (await jobs.create({ ...work, dry_run: false }, new Date().toISOString(), BY))._unsafeUnwrap();
    await place();
    // A busy machine may take too long.
    const progress = async () => (await jobs.get(id)).unwrapOr(null);
    const killed: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const least = Math.random() * 40 + (kill - 1) * 60;
      await expect.poll(async () => (await progress())?.taken, { timeout: 60_000 }).toBeGreaterThanOrEqual(least);
      const working = `select application_name from pg_stat_activity where wait_event = 'PgSleep'`;
      let name: unknown;
      await expect.poll(async () => (name = (await execute(working))[0]?.['application_name'])).toBeDefined();
      const holder = name === 'one' ? 'one' : 'other';
      await servers[holder].kill();
      killed.push((await progress())?.taken ?? 0);
      // Otherwise the lease ends a minute later.
      await execute(`update orders.operator_jobs set held_until = '-infinity'`);
      servers[holder] = await start(holder);
    }
    await expect.poll(progress, { timeout: 60_000 }).toMatchObject({ status: 'done' });
    const all = OWNERS * EACH;
    expect(await progress()).toMatchObject({ matched: all, taken: all, failed: 0, left_out: 0 });
    expect(killed.every((taken) => taken < all)).toBe(true);
    const acted = `select count(*)::int as times, count(distinct id)::int as records from orders.acted`;
    // That of a killed server was rolled back.
    expect(await execute(acted)).toEqual([{ times: all, records: all }]);
    const later = `select count(*)::int as count from orders.acted join orders.changes as c
    on acted.id in (c.event_id, c.aggregate_id) join orders.operator_jobs as j on c.type = 'order.placed' and c.occurred_at > j.created_at`;
    expect(await execute(later)).toEqual([{ count: 0 }]);
  },
  TIMEOUT_MS,
);
