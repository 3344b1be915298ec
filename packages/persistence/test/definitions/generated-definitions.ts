import { randomUUID } from 'node:crypto';
import { createDomain, type OrderDefinition, parseOrderVersionQuery, type Ports, untyped } from '@orders/domain';
import { type EventFeed, parseFeedQuery } from '@orders/domain/events';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import {
  openDatabase,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
} from '@orders/persistence';
import fc from 'fast-check';
import { definitions } from './sample-definitions.ts';

/** One step of a history: which order, which of the possible writes, and the numbers that it depends on. */
const steps = fc.array(fc.record({ order: fc.nat(), write: fc.nat({ max: 5 }), choice: fc.nat() }), {
  maxLength: 25,
  size: 'max',
});

const custom = fc.jsonValue({ maxDepth: 3 }).filter((value) => Buffer.byteLength(JSON.stringify(value)) < 4000);

/** A definition, a history of its orders, and custom data to choose from. */
export const histories = fc.record({
  definition: definitions,
  steps,
  customs: fc.array(custom, { minLength: 3, maxLength: 3 }),
});

type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

const ITEMS = [{ sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' } }];

/** Runs a history in PostgreSQL and in memory, and returns every result as text, which has the order of members. */
export async function resultsOf(url: string, { definition, steps: writes, customs }: History): Promise<Results> {
  const database = openDatabase({ url, definition, poolMax: 2 });
  try {
    const stored = storeOf(definition, {
      orders: postgresOrderRepository(database),
      customers: postgresCustomerRepository(database),
      feed: postgresEventFeed(database),
    });
    const model = storeOf(definition, inMemoryStore({ definition }));
    const owner = randomUUID();
    for (const store of [stored, model]) await store.run(owner, writes, customs);
    return { stored: stored.results, expected: model.results };
  } finally {
    await database.close();
  }
}

interface Results {
  readonly stored: readonly string[];
  readonly expected: readonly string[];
}

type Stores = Pick<Ports<OrderDefinition>, 'orders' | 'customers'> & { readonly feed: EventFeed<OrderDefinition> };

function storeOf(definition: OrderDefinition, { orders, customers, feed }: Stores) {
  const clock = fixedClock();
  const domain = untyped(createDomain({ orders, customers, clock, ids: sequentialIds() }, definition));
  const results: string[] = [];
  const note = (result: { readonly value?: unknown; readonly error?: unknown }) =>
    void results.push(JSON.stringify('value' in result ? result.value : result.error));

  const run = async (owner: string, writes: History['steps'], customs: History['customs']): Promise<void> => {
    const ids: string[] = [];
    const place = async (choice: number) => {
      const data = definition.custom && { custom: customs[choice % 3] };
      const placed = await domain.placeOrder(owner, { items: ITEMS, ...data });
      if (placed.isOk()) ids.push(placed.value.order.id);
      note(placed);
    };
    await place(0);
    for (const [at, { order, write, choice }] of writes.entries()) {
      clock.advance(1000);
      const id = ids[order % ids.length] ?? '';
      const options = { idempotencyKey: `${owner}-${at}` };
      const found = (await domain.getOrder(owner, id)).unwrapOr(null);
      const targets = (found && definition.lifecycle[found.status]) || [];
      const status = targets[choice % Math.max(1, targets.length)] ?? definition.initial;
      const change = [
        { status },
        { status: definition.statuses[choice % definition.statuses.length], note: `${choice}` },
        definition.custom ? { custom: customs[choice % 3] } : { metadata: { choice: `${choice}` } },
      ][write];
      const work = () => {
        if (change) return domain.changeOrder(owner, id, change, options);
        if (write === 3) return domain.cancelOrder(owner, id, { reason: 'why' }, options);
        return domain.deleteOrder(owner, id, options);
      };
      if (write === 4) await place(choice);
      else {
        note(await work());
        // A retry is replayed.
        note(await work());
      }
    }
    note(await domain.listOrders(owner, { sort: 'created_at', limit: 100 }));
    for (const status of definition.statuses) note(await domain.listOrders(owner, { status: [status], limit: 3 }));
    const query = parseOrderVersionQuery({ limit: 100 })._unsafeUnwrap();
    for (const id of ids) note(await orders.listVersions(owner, id, query));
    const feedQuery = parseFeedQuery({ limit: 100, include: ['resource'] }, definition)._unsafeUnwrap();
    note(await feed.read(owner, feedQuery));
  };
  return { results, run };
}
