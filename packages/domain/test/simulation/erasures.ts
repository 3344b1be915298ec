import { createDomain, type Domain, type ErasureProgress, type ErasureWalk } from '@orders/domain';
import { readEvents } from '@orders/domain/events';
import type { Condition, SimulatedProcess, Simulation } from '@orders/domain/testing';
import type { Result } from 'neverthrow';

const OWNER = 'acme';
const ITEMS = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];

/** A person, whose data has a text that nothing else has. */
interface Person {
  readonly marker: string;
  readonly id: string;
  /** Whether a client knows that the erasure was recorded, and that it is done. */
  isErased: boolean;
  isDone: boolean;
}

/** A placement, which clients send again with its key. */
interface Placement {
  readonly key: string;
  readonly person: Person;
}

/** What the processes of a run share. */
export interface World {
  readonly store: Simulation['store'];
  readonly persons: Person[];
  readonly orders: string[];
  readonly placements: Placement[];
  /** What must not happen, in the words of the conditions. */
  readonly wrong: string[];
}

/** Persons who order, and are erased by several clients, while a process finishes the erasures. */
function program({ client, service, store }: Simulation): World {
  const world: World = { store, persons: [], orders: [], placements: [], wrong: [] };
  for (const name of ['ann', 'bob', 'eve'])
    client(name, async (process) => {
      const domain = createDomain(process);
      for (const number of process.operations()) await operate(domain, process, world, `${name}-${number}`);
    });
  service('eraser', async (process) => {
    const domain = createDomain(process);
    const { timer, signal } = process;
    while (!signal.aborted) {
      await finish(domain);
      await timer.pause(200, signal);
    }
  });
  return world;
}

/** Continues erasures until they are done, or a call fails. */
async function finish({ continueErasures }: Domain): Promise<void> {
  for (let walk: ErasureWalk | null | undefined; walk !== null;) {
    const progress: Result<ErasureProgress, unknown> = await continueErasures(OWNER, walk);
    if (progress.isErr()) return;
    walk = progress.value.next;
  }
}

/** Makes one operation of a client, named by what no other has. */
async function operate(domain: Domain, { random, feed }: SimulatedProcess, world: World, name: string): Promise<void> {
  const { persons, orders, placements, wrong } = world;
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const person = pick(persons.slice(-3));
  const order = pick(orders.slice(-6)) ?? '';
  const isErased = person?.isErased ?? false;
  const done = persons.filter(({ isDone }) => isDone);

  /** Checks what was read, or what a retry has returned: nothing of those whose erasure was done before. */
  const see = (what: string, read: { readonly value: unknown } | { readonly error: unknown }) => {
    const text = JSON.stringify('value' in read ? read.value : read.error);
    for (const { marker } of done) if (text.includes(marker)) wrong.push(`${what} has ${marker}: ${text}`);
  };
  const refuses = (
    what: string,
    result: { readonly error?: { readonly type: string } },
    ...types: readonly string[]
  ) => {
    const type = result.error?.type ?? 'success';
    if (isErased && ![...types, 'unavailable'].includes(type))
      wrong.push(`${what} of the erased ${person?.marker}: ${type}`);
  };
  const place = async ({ key, person: { id, marker } }: Placement) => {
    const input = { items: ITEMS, customer_id: id, note: marker, metadata: { [marker]: marker } };
    const placed = await domain.placeOrder(OWNER, input, { idempotencyKey: key });
    see('a placement', placed);
    if (placed.isOk() && !orders.includes(placed.value.order.id)) orders.push(placed.value.order.id);
    return placed;
  };

  const roll = random();
  if (!person || roll < 0.12) {
    const marker = `<${name}>`;
    const input = { email: `${name}@example.com`, name: marker, metadata: { [marker]: marker } };
    const created = await domain.createCustomer(OWNER, input);
    if (created.isOk()) persons.push({ marker, id: created.value.customer.id, isErased: false, isDone: false });
  } else if (roll < 0.32) {
    const placement = { key: name, person };
    placements.push(placement);
    const placed = await place(placement);
    refuses('a placement', placed.isErr() ? placed : {}, 'customer_erased');
  } else if (roll < 0.38) await place(pick(placements.slice(-5)) ?? { key: name, person });
  else if (roll < 0.45) {
    const erased = await domain.eraseCustomer(OWNER, person.id, random() < 0.5 ? { idempotencyKey: name } : {});
    see('an erasure', erased);
    if (erased.isOk()) person.isErased = true;
    if (erased.isOk() && erased.value.customer.erasure?.status === 'done') person.isDone = true;
  } else if (roll < 0.7) await change();
  else if (roll < 0.75) {
    if (random() < 0.5)
      refuses(
        'a change',
        errorOf(await domain.changeCustomer(OWNER, person.id, { name: person.marker })),
        'customer_erased',
      );
    else if (isErased)
      refuses(
        'the deletion',
        errorOf(await domain.deleteCustomer(OWNER, person.id)),
        'customer_erased',
        'customer_has_orders',
      );
  } else if (roll < 0.8) see('an order', await domain.getOrder(OWNER, order));
  else if (roll < 0.87) see('its versions', await domain.listOrderVersions(OWNER, order, { limit: 100 }));
  else if (roll < 0.92) see('a list', await domain.listOrders(OWNER, { limit: 100 }));
  else if (roll < 0.95)
    see('the feed', await readEvents(feed, OWNER, { start: 'oldest', limit: 100, include: ['resource'] }));
  else {
    const read = await domain.getCustomer(OWNER, person.id);
    see('a customer', read);
    if (read.isOk() && read.value.erasure?.status === 'done') person.isDone = true;
  }

  /** Changes an order as it was read, so that a change is late when it is erased meanwhile. */
  async function change(): Promise<void> {
    const read = await domain.getOrder(OWNER, order);
    see('an order', read);
    if (read.isErr()) return;
    const { version, customer_id, note, status } = read.value;
    const ifVersion = { ifVersion: [version] };
    const action = random();
    if (action < 0.3) {
      const next = pick(persons);
      const isNew = next && next.id !== customer_id;
      const input = { customer_id: next?.id ?? null, ...(isNew && { note: next.marker }) };
      see('a move', await domain.changeOrder(OWNER, order, random() < 0.3 ? { customer_id: null } : input, ifVersion));
    } else if (action < 0.4) await domain.deleteOrder(OWNER, order, ifVersion);
    else if (note === null || status === 'cancelled' || customer_id === null) return;
    else if (action < 0.6) see('a cancellation', await domain.cancelOrder(OWNER, order, { reason: note }, ifVersion));
    else if (action < 0.8)
      see('a fulfillment', await domain.fulfillItems(OWNER, order, { tracking: { number: note } }, ifVersion));
    else
      see(
        'a change',
        await domain.changeOrder(
          OWNER,
          order,
          { note: `${note}!`, metadata: { [note.slice(0, 40)]: note } },
          ifVersion,
        ),
      );
  }
}

function errorOf(result: { readonly error: { readonly type: string } } | { readonly value: unknown }) {
  return 'error' in result ? { error: result.error } : {};
}

const eventually: Readonly<Record<string, Condition<World>>> = {
  'every erasure is done, and leaves nothing': async ({ store, persons, orders, wrong }) => {
    const texts: string[] = [];
    for (const id of orders) {
      const query = { limit: 100, after: null, at: null };
      const versions = await store.orders.listVersions(OWNER, id, query);
      texts.push(JSON.stringify(versions._unsafeUnwrap()));
    }
    for (const { id, marker } of persons) {
      const { aggregate } = (await store.customers.load(OWNER, id))._unsafeUnwrap() ?? {};
      if (aggregate?.erasure?.status === 'pending') return false;
      if (aggregate?.erasure && texts.some((text) => text.includes(marker))) wrong.push(`${marker} is left`);
    }
    return wrong.length === 0;
  },
};

/** What is simulated. */
export const ERASURES = {
  program,
  invariants: {
    'what is erased never returns': ({ wrong }: World) => {
      if (wrong[0] !== undefined) throw new Error(wrong[0]);
    },
    'no order is erased twice in a row': ({ store }: World) => {
      const last = new Map<string, string>();
      for (const { type, aggregate_id } of store.events()) {
        if (type === 'order.erased' && last.get(aggregate_id) === type) throw new Error(aggregate_id);
        last.set(aggregate_id, type);
      }
    },
  },
  eventually,
  operations: 150,
};
