import {
  createDomain,
  defineOrders,
  type ErasureWalk,
  lookupsOf,
  type OrderDefinition,
  type UntypedDomain,
  untyped,
} from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { openDatabase, postgresStore, rebuildLookups } from '@orders/persistence';
import { ok } from 'neverthrow';
import { expect } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';

const CLIENTS = 4;

const CARS = {
  lifecycle: { open: ['done', 'void'], done: [], void: [] },
  initial: 'open',
  cancel: 'void',
  custom: { parse: (input: unknown) => ok(input), schema: {} },
} as const;

const text = (custom: unknown): string => String(custom);

/** Definitions of the same orders, of which the second finds a name more, another value, and an error in some. */
const DEFINITIONS: readonly [OrderDefinition, OrderDefinition] = [
  defineOrders({ ...CARS, lookups: { vin: text, former: (custom) => [`f${text(custom)}`] } }),
  defineOrders({
    ...CARS,
    lookups: {
      vin: (custom) => (text(custom).endsWith('7') ? 'x'.repeat(256) : text(custom)),
      digits: (custom) => text(custom).split(''),
    },
  }),
];

/** Returns a generator of pseudo-random numbers from 0 to 1 (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 0x7fff_ffff) / 0x7fff_ffff;
}

/** Executes random commands of several clients on the orders of an owner. */
async function randomCommands(domain: UntypedDomain, owner: string, commands: number, random: () => number) {
  const ids: string[] = [];
  const below = (count: number) => Math.floor(random() * count);
  const some = () => ({
    external_ids: {
      shop: Array.from({ length: below(3) }, (_, at) => `${at}-${below(20)}`),
      erp: below(2) ? ['1'] : null,
    },
    buyer: below(3) === 0 ? null : { email: `${'aA'[below(2)] ?? ''}${below(8)}@example.com` },
    custom: below(4) === 0 ? null : below(30),
  });
  const items = [{ sku: 'a', name: 'A', quantity: 1, unit_price: { amount: 100, currency: 'EUR' } }];
  const erase = async () => {
    await domain.erasePerson(owner, { email: `a${below(8)}@example.com` });
    for (let walk: ErasureWalk | null = null; ;) {
      const batch = await domain.continueErasures(owner, walk);
      walk = batch.isOk() ? batch.value.next : null;
      if (walk === null) return;
    }
  };
  const command = async (): Promise<unknown> => {
    const id = ids[below(ids.length)];
    const at = random();
    if (id === undefined || at < 0.2) {
      const placed = await domain.placeOrder(owner, { items, ...some() });
      return placed.isOk() && ids.push(placed.value.order.id);
    }
    if (at < 0.25)
      return await domain.placeOrders(
        owner,
        [1, 2, 3].map(() => ({ order: { items, ...some() } })),
      );
    if (at < 0.3) return await domain.importOrder(owner, { id: crypto.randomUUID(), items, ...some(), status: 'open' });
    if (at < 0.75) {
      const [field, value] = Object.entries({ ...some(), note: `${random()}` })[below(4)] ?? ['note', null];
      return await domain.changeOrder(owner, id, { [field]: value });
    }
    if (at < 0.88) return await domain.cancelOrder(owner, id);
    if (at < 0.999) return await domain.deleteOrder(owner, ids.splice(ids.indexOf(id), 1)[0] ?? id);
    return await erase();
  };
  const client = async () => {
    for (let left = commands / CLIENTS; left > 0; left -= 1) await command();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Returns all orders of an owner, or those that a lookup finds. */
async function allOrders(domain: UntypedDomain, owner: string, lookup?: string) {
  const orders = [];
  let page = (await domain.listOrders(owner, { limit: 100, lookup }))._unsafeUnwrap();
  for (; page.next; page = (await domain.listOrders(owner, { limit: 100, lookup, after: page.next }))._unsafeUnwrap())
    orders.push(...page.data);
  return [...orders, ...page.data];
}

/**
 * Lets clients execute commands by one definition, and then by another while lookups are rebuilt. Then expects the lookups of
 * a scan by the model, as rows and as lists; returns how many there are.
 */
export async function checkLookupsOfHistory(
  url: string,
  owner: string,
  commands: number,
  seed: number,
): Promise<number> {
  const random = randomNumbers(seed);
  const servers = DEFINITIONS.map((definition) => {
    const database = untilFinished(openDatabase({ url, definition, poolMax: CLIENTS + 1 }));
    const { orders, customers } = postgresStore(database);
    const domain = untyped(createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() }, definition));
    return { database, domain, definition };
  });
  for (const { database, domain } of servers) {
    const rebuilt = rebuildLookups(database, owner);
    await randomCommands(domain, owner, commands / servers.length, random);
    await rebuilt;
  }
  const [, last] = servers;
  if (!last) throw new Error('unreachable');
  const orders = await allOrders(last.domain, owner);
  const expected = orders.flatMap((order) =>
    lookupsOf(last.definition, order).lookups.map(
      ([name, value]) => `${order.created_at} ${order.id} ${name}:${value}`,
    ),
  );
  const rows = await execute<{ row: string }>(
    url,
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' ' || order_id || ' ' || name || ':' || value as row
     from orders.order_lookups where owner_id = '${owner}'`,
  );
  expect(rows.map(({ row }) => row).toSorted()).toEqual(expected.toSorted());
  for (const lookup of ['external.shop:0-1', 'external.shop:1-2', 'external.erp:1', 'own.vin:5', 'own.digits:2']) {
    const found = await allOrders(last.domain, owner, lookup);
    const has = expected
      .filter((row) => row.endsWith(` ${lookup}`))
      .toSorted()
      .toReversed();
    expect(found.map(({ created_at, id }) => `${created_at} ${id} ${lookup}`)).toEqual(has);
  }
  return expected.length;
}
