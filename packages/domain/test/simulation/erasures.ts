import { createDomain, type Domain, type ErasureProgress, type ErasureWalk, type Order } from '@orders/domain';
import { readEvents } from '@orders/domain/events';
import type { Condition, SimulatedProcess, Simulation } from '@orders/domain/testing';
import type { Result } from 'neverthrow';

export const OWNER = 'persons';

/** Returns the items of a placement or an import, which no erasure takes, so that they show which it was. */
function itemsOf(key: string) {
  return [{ sku: key, name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];
}

/** A person, whose data has a text that nothing else has. */
interface Person {
  readonly marker: string;
  readonly id: string;
  readonly email: string;
  /** Whether a client knows that the erasure was recorded, and that it is done. */
  isErased: boolean;
  isDone: boolean;
  /** What its orders have got since. */
  readonly since: { readonly text: string; isErased: boolean }[];
}

/** A placement, which clients send again with its key: of the customer, or of a guest with the same email. */
interface Placement {
  readonly key: string;
  readonly person: Person;
  readonly isGuest: boolean;
}

/** A text beside an email in an order, which is known to be stored. An erasure by email that is requested later takes it. */
interface TextOfGuest {
  readonly email: string;
  isErased: boolean;
  isDone: boolean;
}

/** What the processes of a run share. */
export interface World {
  readonly store: Pick<Simulation['store'], 'orders' | 'customers' | 'events'>;
  readonly persons: Person[];
  readonly orders: string[];
  readonly placements: Placement[];
  /** By their text, which nothing else has. */
  readonly guests: Map<string, TextOfGuest>;
  /** What a client knows once an erasure by email with an id is done. */
  readonly requests: Map<string, () => void>;
  /** The orders of placements and imports that were acknowledged, and those that a client may have deleted. */
  readonly made: Map<string, string>;
  readonly deleted: Set<string>;
  /** What must not happen, in the words of the conditions. */
  readonly wrong: string[];
}

/** Returns what processes share at first. */
export function newWorld(store: World['store']): World {
  const [guests, requests] = [new Map<string, TextOfGuest>(), new Map<string, () => void>()];
  const [made, deleted] = [new Map<string, string>(), new Set<string>()];
  return { store, persons: [], orders: [], placements: [], guests, requests, made, deleted, wrong: [] };
}

/** Persons who order, and are erased by several clients, while a process finishes the erasures. */
function program({ client, service, store }: Simulation): World {
  const world = newWorld(store);
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
export async function finish({ continueErasures }: Pick<Domain, 'continueErasures'>): Promise<void> {
  for (let walk: ErasureWalk | null | undefined; walk !== null;) {
    const progress: Result<ErasureProgress, unknown> = await continueErasures(OWNER, walk);
    if (progress.isErr()) return;
    walk = progress.value.next;
  }
}

/** Makes one operation of a client, named by what no other has. */
export async function operate(
  domain: Domain,
  { random, feed }: Pick<SimulatedProcess, 'random' | 'feed'>,
  world: World,
  name: string,
): Promise<void> {
  const { persons, orders, placements, guests, requests, made, deleted, wrong } = world;
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const person = pick(persons.slice(-3));
  const order = pick(orders.slice(-6)) ?? '';
  const isErased = person?.isErased ?? false;
  const done = [
    ...persons.flatMap(({ isDone, marker }) => (isDone ? [marker] : [])),
    ...[...guests].flatMap(([text, { isDone }]) => (isDone ? [text] : [])),
  ];

  /** Checks what was read, or what a retry has returned: nothing of those whose erasure was done before. */
  const see = (what: string, read: { readonly value: unknown } | { readonly error: unknown }) => {
    const text = JSON.stringify('value' in read ? read.value : read.error);
    for (const marker of done) if (text.includes(marker)) wrong.push(`${what} has ${marker}: ${text}`);
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
  const inputOf = ({ key, isGuest, person: { id, marker, email } }: Placement) => {
    const text = isGuest ? guestOf(key) : marker;
    return {
      items: itemsOf(key),
      ...(!isGuest && { customer_id: id }),
      buyer: { name: text, email: email.toUpperCase() },
      note: text,
      metadata: { [text]: text },
    };
  };
  /** Keeps what an order has of a guest, once a client knows that it is stored. */
  const keepGuest = ({ buyer }: Pick<Order, 'buyer'>) => {
    const [text, email] = [buyer?.name ?? '', buyer?.email?.toLowerCase() ?? ''];
    if (text.startsWith('guest ') && !guests.has(text)) guests.set(text, { email, isErased: false, isDone: false });
  };
  const learn = <T extends { readonly order: Pick<Order, 'id' | 'buyer'> }, E>(key: string, placed: Result<T, E>) => {
    see('a placement', placed);
    if (placed.isErr()) return placed;
    const { id } = placed.value.order;
    keepGuest(placed.value.order);
    if ((made.get(key) ?? id) !== id) wrong.push(`${key} is two orders`);
    made.set(key, id);
    if (!orders.includes(id)) orders.push(id);
    return placed;
  };
  const place = async (placement: Placement) =>
    learn(placement.key, await domain.placeOrder(OWNER, inputOf(placement), { idempotencyKey: placement.key }));
  /** Places several together, and returns the result of each. */
  const placeAll = async (together: readonly Placement[]) => {
    const inputs = together.map((each) => ({ idempotencyKey: each.key, order: inputOf(each) }));
    const results = (await domain.placeOrders(OWNER, inputs))._unsafeUnwrap();
    return results.map((placed, index) => learn(together[index]?.key ?? '', placed));
  };
  /** Imports an order, which has personal data or not, and imports it again now and then. */
  const importOne = async (key: string, of: Person) => {
    const hasText = random() < 0.6;
    const whole = inputOf({ key, person: of, isGuest: false });
    const input = { reference: key, ...(hasText ? whole : { items: whole.items, customer_id: of.id }) };
    const [first, again] = [await domain.importOrder(OWNER, input), random() < 0.3];
    const imported = learn(key, first);
    if (hasText) refuses('an import', errorOf(imported), 'customer_erased');
    // It has changed since if it is another one, or is erased.
    if (again) see('a repeated import', await domain.importOrder(OWNER, input));
  };

  const roll = random();
  if (!person || roll < 0.12) {
    const marker = `<${name}>`;
    const email = `${name}@example.com`;
    const created = await domain.createCustomer(OWNER, { email, name: marker, metadata: { [marker]: marker } });
    if (created.isOk())
      persons.push({ marker, id: created.value.customer.id, email, isErased: false, isDone: false, since: [] });
  } else if (roll < 0.32) {
    const count = random() < 0.3 ? 3 : 1;
    const isGuest = random() < 0.4;
    const together = Array.from({ length: count }, (_, index) => ({ key: `${name}-${index}`, person, isGuest }));
    placements.push(...together);
    const [placement] = together;
    if (roll < 0.16) await importOne(`${name}-import`, person);
    else if (count > 1 || !placement) for (const placed of await placeAll(together)) refusesPlacement(errorOf(placed));
    else refusesPlacement(errorOf(await place(placement)));
    // No erasure keeps a guest from ordering.
    function refusesPlacement(result: Parameters<typeof refuses>[1]) {
      if (!isGuest) refuses('a placement', result, 'customer_erased');
    }
  } else if (roll < 0.36) await place(pick(placements.slice(-5)) ?? { key: name, person, isGuest: false });
  else if (roll < 0.38) await placeAll(placements.slice(-6, -3));
  else if (roll < 0.41) await eraseByEmail(person);
  else if (roll < 0.46) {
    const before = [...person.since];
    const erased = await domain.eraseCustomer(OWNER, person.id, random() < 0.5 ? { idempotencyKey: name } : {});
    see('an erasure', erased);
    if (erased.isOk()) {
      person.isErased = true;
      for (const each of before) each.isErased = true;
    }
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

  /** Erases a person by email, and reads how far one of the last of such erasures is. */
  async function eraseByEmail(of: Person): Promise<void> {
    const before = [...guests.values()].filter(({ email }) => email === of.email);
    const options = random() < 0.5 ? { idempotencyKey: `${name}-email` } : {};
    const erased = await domain.erasePerson(OWNER, { email: of.email }, options);
    if (erased.isErr()) return;
    for (const each of before) each.isErased = true;
    requests.set(erased.value.erasure.id, () => {
      for (const each of [of, ...before]) each.isErased = each.isDone = true;
    });
    const [id, end] = pick([...requests].slice(-3)) ?? [];
    const read = await domain.getErasure(OWNER, id ?? '');
    if (erased.value.erasure.status === 'done') requests.get(erased.value.erasure.id)?.();
    if (read.isOk() && read.value.status === 'done') end?.();
    see('what is stored of a person', await domain.readPersonData(OWNER, { email: of.email, limit: 100 }));
  }

  /** Changes an order as it was read, so that a change is late when it is erased meanwhile. */
  async function change(): Promise<void> {
    const read = await domain.getOrder(OWNER, order);
    see('an order', read);
    if (read.isErr()) return;
    const { version, customer_id, note, status } = read.value;
    const ifVersion = { ifVersion: [version] };
    const action = random();
    if (action < 0.15) {
      const [next, text] = [pick(persons), guestOf(name)];
      const buyer = next && { name: text, email: next.email };
      const moved = await domain.changeOrder(OWNER, order, { buyer: buyer ?? null, note: text }, ifVersion);
      see('another buyer', moved);
      if (moved.isOk()) keepGuest(moved.value.order);
    } else if (action < 0.3) {
      const next = pick(persons);
      const isNew = next && next.id !== customer_id;
      const input = { customer_id: next?.id ?? null, ...(isNew && { note: next.marker }) };
      see('a move', await domain.changeOrder(OWNER, order, random() < 0.3 ? { customer_id: null } : input, ifVersion));
    } else if (action < 0.4) {
      deleted.add(order);
      await domain.deleteOrder(OWNER, order, ifVersion);
    } else if (read.value.erased_at !== null && note === null && customer_id !== null) {
      const text = `since ${name}`;
      const changed = await domain.changeOrder(OWNER, order, { note: text }, ifVersion);
      if (changed.isOk()) persons.find(({ id }) => id === customer_id)?.since.push({ text, isErased: false });
    } else if (note === null || status === 'cancelled' || customer_id === null) return;
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

/** What a guest writes in the placement or change with this name. */
function guestOf(name: string): string {
  return `guest ${name}.`;
}

function errorOf(result: { readonly error: { readonly type: string } } | { readonly value: unknown }) {
  return 'error' in result ? { error: result.error } : {};
}

/** Whether every placement and import that was acknowledged is one order. */
async function isEachOnce({ store, made, deleted, wrong }: World): Promise<boolean> {
  for (const [key, id] of made) {
    const { aggregate } = (await store.orders.load(OWNER, id))._unsafeUnwrap() ?? {};
    if (!aggregate && !deleted.has(id)) wrong.push(`${key} is lost`);
    if (aggregate && aggregate.items[0]?.sku !== key) wrong.push(`${key} is the order of ${aggregate.items[0]?.sku}`);
  }
  const placed = store.events().filter(({ type, owner }) => owner === OWNER && /placed|imported/.test(type));
  const others = placed.filter(({ aggregate_id: id }) => ![...made.values()].includes(id));
  // A client that got no response may not know its order.
  const skus = await Promise.all(
    others.map(
      async ({ aggregate_id: id }) => (await store.orders.load(OWNER, id))._unsafeUnwrap()?.aggregate.items[0]?.sku,
    ),
  );
  for (const sku of skus) {
    const known = made.get(sku ?? '');
    // An import is repeated by its reference, which a deletion makes free.
    if (known !== undefined && !deleted.has(known)) wrong.push(`${sku} is two orders`);
  }
  return wrong.length === 0;
}

/** What must be the case once everything has ended. */
export const eventually: Readonly<Record<string, Condition<World>>> = {
  'every erasure is done, and leaves nothing': async ({ store, persons, orders, guests, wrong }) => {
    if ((await store.customers.erasures.findPending(OWNER))._unsafeUnwrap().length > 0) return false;
    const texts: string[] = [];
    const ofCustomers = new Map<string | undefined, string>();
    for (const id of orders) {
      const query = { limit: 100, after: null, at: null };
      const versions = await store.orders.listVersions(OWNER, id, query);
      const text = JSON.stringify(versions._unsafeUnwrap());
      texts.push(text);
      const customer = versions._unsafeUnwrap().data[0]?.order?.customer_id ?? undefined;
      ofCustomers.set(customer, (ofCustomers.get(customer) ?? '') + text);
    }
    for (const { id, marker, since } of persons) {
      const { aggregate } = (await store.customers.load(OWNER, id))._unsafeUnwrap() ?? {};
      if (aggregate?.erasure?.status === 'pending') return false;
      if (aggregate?.erasure && texts.some((text) => text.includes(marker))) wrong.push(`${marker} is left`);
      for (const { text, isErased } of since)
        if (isErased && ofCustomers.get(id)?.includes(`"${text}"`)) wrong.push(`${text} is left of ${marker}`);
    }
    for (const [text, { isErased }] of guests)
      if (isErased && texts.some((each) => each.includes(text))) wrong.push(`${text} is left`);
    return wrong.length === 0;
  },
  'every acknowledged placement and import is one order': isEachOnce,
};

/** What is simulated. */
export const ERASURES = {
  program,
  invariants: {
    'what is erased never returns': ({ wrong }: World) => {
      if (wrong[0] !== undefined) throw new Error(wrong[0]);
    },
    // That of two persons may be, if the second was erased later.
    'no order is erased twice in a row for the same persons': ({ store }: World) => {
      const last = new Map<string, string | null>();
      let person = '';
      for (const { type, aggregate_id, occurred_at } of store.events()) {
        if (type === 'customer.erased' && occurred_at > person) person = occurred_at;
        const before = last.get(aggregate_id) ?? null;
        if (type === 'order.erased' && before !== null && before >= person) throw new Error(aggregate_id);
        last.set(aggregate_id, type === 'order.erased' ? occurred_at : null);
      }
    },
  },
  eventually,
  operations: 150,
};
