import type { Domain, ListOrdersQuery, Order, Page, Timestamp } from '@orders/domain';
import { figuresOf, type OrderSums } from '@orders/domain/statistics';
import { countStatistics, type Database, postgresOrderStatistics, rebuildStatistics } from '@orders/persistence';
import { expect } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { countAll } from './count-all.ts';

const STATUSES = ['paid', 'shipped', 'delivered', 'cancelled'] as const;
const CURRENCIES = ['EUR', 'JPY', 'USD'] as const;

/** All time: one bucket for each quarter of an hour in which something may have happened, to compare every row. */
const BOUNDS = ['2001-01-01T00:00:00.000Z', '2001-03-01T00:00:00.000Z'] as const;

/** A clock that is wrong by up to a month at every look. */
export const wrongClock = (random: () => number) => ({
  now: () => new Date(Date.parse(BOUNDS[0]) + Math.floor(random() * 30 * 86_400_000)),
});

/** Returns a generator of pseudo-random numbers from 0 to 1 (Park and Miller). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 0x7fff_ffff) / 0x7fff_ffff;
}

/** Executes random commands of several clients on the orders of one owner. */
export async function randomHistory(domain: Domain, owner: string, commands: number, random: () => number) {
  const ids: string[] = [];
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
  const command = async (): Promise<void> => {
    const id = pick(ids);
    const at = random();
    if (id === undefined || at < 0.3) {
      const currency = pick(CURRENCIES) ?? 'EUR';
      const amount = Math.floor(random() * 10_000);
      const item = { sku: 'a', name: 'A', quantity: 1 + Math.floor(random() * 5), unit_price: { amount, currency } };
      const placed = await domain.placeOrder(owner, { items: [item] });
      ids.push(placed._unsafeUnwrap().order.id);
    } else if (at < 0.55) await domain.changeOrder(owner, id, { status: pick(STATUSES) ?? 'paid' });
    else if (at < 0.6) await domain.correctOrder(owner, id, { status: pick(STATUSES) ?? 'pending' });
    else if (at < 0.7) await domain.changeOrder(owner, id, { note: `${random()}` });
    else if (at < 0.8) {
      const order = await domain.getOrder(owner, id);
      if (order.isErr()) return;
      const amount = { amount: Math.floor(random() * 100), currency: order.value.total.currency };
      const item = { sku: 'b', name: 'B', quantity: 1, unit_price: amount };
      if (random() < 0.5) await domain.addItems(owner, id, { items: [item] });
      else await domain.adjustOrder(owner, id, { adjustments: [{ type: 'fee', name: 'Fee', amount }] });
    } else if (at < 0.9) await domain.cancelOrder(owner, id);
    else {
      await domain.deleteOrder(owner, id);
      ids.splice(ids.indexOf(id), 1);
    }
  };
  const client = async (): Promise<void> => {
    for (let left = commands / CLIENTS; left > 0; left -= 1) await command();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

const CLIENTS = 4;

/** Connections that end, at least. On a busy machine, this takes longer than the commands. */
const ENDED_MIN = 6;

/** Counts again and again in several processes, some of whose connections end, until `isDone`; returns how many ended. */
export async function countMeanwhile(
  servers: readonly Database[],
  url: string,
  owner: string,
  isDone: () => boolean,
): Promise<number> {
  let ended = 0;
  const isOver = () => isDone() && ended >= ENDED_MIN;
  const counting = servers.map(async (server) => {
    const count = countStatistics(server);
    while (!isOver()) await count(owner).catch(() => null);
  });
  const ending = async (): Promise<void> => {
    while (!isOver()) {
      const [row] = await execute<{ ended: string }>(
        url,
        `select count(pg_terminate_backend(pid)) as ended from (
          select pid from pg_stat_activity
          where datname = current_database() and query like '%statistics_count%' and state = 'active' and pid <> pg_backend_pid()
          limit 1) as a`,
      );
      ended += Number(row?.ended);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all([...counting, ending()]);
  return ended;
}

/** Expects that the figures are those of the orders that exist, and the same once they were counted again. */
export async function expectFiguresOfOrders(
  database: Database,
  domain: Domain,
  owner: string,
  recounts: number,
): Promise<void> {
  expect(await countAll(countStatistics(database), owner)).toBe(recounts);
  const orders: Order[] = [];
  let query: ListOrdersQuery | null = { limit: 100 };
  while (query) {
    const page: Page<Order, Timestamp> = (await domain.listOrders(owner, query))._unsafeUnwrap();
    orders.push(...page.data);
    query = page.next && { limit: 100, after: page.next };
  }
  const expected = new Map<string, { orders: number; total: number }>();
  for (const { at, status, total } of orders.flatMap((order) => figuresOf(order, domain.definition))) {
    const key = `${Math.floor(Date.parse(at) / 900_000)} ${status} ${total.currency}`;
    const sum = expected.get(key) ?? { orders: 0, total: 0 };
    expected.set(key, { orders: sum.orders + 1, total: sum.total + total.amount });
  }
  const bounds = Array.from({ length: 31 * 96 }, (_, index) =>
    new Date(Date.parse(BOUNDS[0]) + index * 900_000).toISOString(),
  );
  const first = Date.parse(BOUNDS[0]) / 900_000;
  const toMap = ({ sums }: OrderSums) =>
    new Map(
      sums.map(({ bucket, status, currency, orders, total }) => [
        `${first + bucket} ${status} ${currency}`,
        { orders, total },
      ]),
    );
  const read = () => postgresOrderStatistics(database).sum(owner, bounds, 1_000_000);
  const counted = (await read())._unsafeUnwrap();
  expect(toMap(counted)).toEqual(expected);
  await rebuildStatistics(database, owner);
  expect((await read())._unsafeUnwrap()).toEqual(counted);
  expect(orders.length).toBeGreaterThan(5);
}
