import {
  createDomain,
  type CustomerDataLine,
  type Domain,
  type ErasureProgress,
  type ErasureWalk,
  type OrderVersion,
  type Page,
  type Position,
} from '@orders/domain';
import { faulty, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { NOTES } from '../fixtures/a-definition.ts';
import { fails, invalidFields, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';

const ADA = { email: 'ada@example.com', name: 'Ada', metadata: { tier: 'gold' } };
const USER = { externalUserId: 'Ada 1' };
const DESK = { actor: 'client:desk', externalUserId: 'user_7' };
const PERSONAL = { note: 'For Ada', metadata: { gift: 'Ada' } };

/** Returns a domain with a customer and orders of it, and its store. */
async function aShop(orders = 1) {
  const store = inMemoryStore();
  const clock = fixedClock(NOW);
  const domain = createDomain({ ...store, clock, ids: sequentialIds() });
  const { customer } = await succeeds(domain.createCustomer(OWNER, ADA, { idempotencyKey: 'creation', ...USER }));
  const placed: string[] = [];
  for (let count = 0; count < orders; count += 1) placed.push(await place(domain, customer.id));
  return { store, domain, clock, customer, placed };
}

async function place(domain: Domain, customer_id: string | null): Promise<string> {
  const { order } = await succeeds(domain.placeOrder(OWNER, { items: [{ ...LINE }], customer_id, ...PERSONAL }, USER));
  return order.id;
}

const LINE = { sku: 'MUG', name: 'Mug', quantity: 2, unit_price: { amount: 1999, currency: 'EUR' } };

async function versionsOf(domain: Domain, id: string): Promise<readonly OrderVersion[]> {
  return (await succeeds(domain.listOrderVersions(OWNER, id, { limit: 100 }))).data;
}

/** Continues erasures until they are done, and returns the number of batches. */
async function finish(domain: Domain): Promise<number> {
  let walk: ErasureWalk | null = null;
  for (let batches = 1; ; batches += 1) {
    const { next }: ErasureProgress = await succeeds(domain.continueErasures(OWNER, walk));
    if (next === null) return batches;
    walk = next;
  }
}

describe('the data of a customer', () => {
  it.each([1, 2, 100])('has the customer, its orders and all versions once, in pages of %d', async (limit) => {
    const { domain, clock, customer } = await aShop(0);
    const orders: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      clock.advance(1000);
      orders.push(await place(domain, customer.id));
      for (const note of ['a', 'b']) await succeeds(domain.changeOrder(OWNER, orders[count] ?? '', { note }));
    }
    await place(domain, null);
    const lines: CustomerDataLine[] = [];
    for (let after: Position<string> | undefined; ;) {
      const page: Page<CustomerDataLine, string> = await succeeds(
        domain.readCustomerData(OWNER, customer.id, { limit, after }),
      );
      lines.push(...page.data);
      if (!page.next) break;
      after = page.next;
    }
    const expected: object[] = [{ kind: 'customer', ...customer }];
    for (const order_id of orders) {
      expected.push({ kind: 'order', id: order_id, note: 'b', version: 3 });
      for (const [version, note] of [
        [3, 'b'],
        [2, 'a'],
        [1, 'For Ada'],
      ])
        expected.push({ kind: 'order_version', order_id, version, order: { note, version } });
    }
    expect(lines).toMatchObject(expected);
  });

  it('continues at its own positions only, and with nothing of an order that another customer has now', async () => {
    const { domain, customer } = await aShop(0);
    const { customer: other } = await succeeds(domain.createCustomer(OWNER, { email: 'bob@example.com' }));
    const theirs = await place(domain, other.id);
    for (const note of ['a', 'b']) await succeeds(domain.changeOrder(OWNER, theirs, { note }));
    const { next } = await succeeds(domain.readCustomerData(OWNER, other.id, { limit: 1 }));
    const after = { value: next?.value ?? '', id: next?.id ?? '' };
    expect((await succeeds(domain.readCustomerData(OWNER, other.id, { limit: 1, after }))).data).toHaveLength(1);
    expect(await fails(domain.readCustomerData(OWNER, customer.id, { after }))).toMatchObject(
      invalidFields('after: invalid_value (must be a position in this list)'),
    );
    const madeUp = { ...after, id: customer.id };
    expect((await succeeds(domain.readCustomerData(OWNER, customer.id, { after: madeUp }))).data).toEqual([]);
    await succeeds(domain.changeOrder(OWNER, theirs, { customer_id: customer.id }));
    expect((await succeeds(domain.readCustomerData(OWNER, other.id, { after }))).data).toEqual([]);
  });
});

describe('an erasure', () => {
  it('takes everything personal of the customer, by one version and event', async () => {
    const { store, domain, customer } = await aShop(0);
    const {
      customer: erased,
      event,
      replayed,
    } = await succeeds(domain.eraseCustomer(OWNER, customer.id, { idempotencyKey: 'erasure', ...DESK }));
    const times = { created_at: NOW, updated_at: NOW, erased_at: NOW };
    const gone = { email: null, name: null, metadata: {} };
    expect(erased).toEqual({ id: customer.id, ...gone, version: 2, ...times, erasure: { status: 'done' } });
    const changed = ['email', 'name', 'metadata', 'erased_at', 'erasure'];
    const author = { actor: DESK.actor, external_user_id: null };
    expect(event).toMatchObject({ type: 'customer.erased', version: 2, changed, ...author });
    expect(replayed).toBe(false);
    const retry = await succeeds(domain.eraseCustomer(OWNER, customer.id, { idempotencyKey: 'erasure' }));
    expect(retry).toEqual({ customer: erased, event: null, replayed: true });
    expect(await succeeds(domain.eraseCustomer(OWNER, customer.id))).toEqual({
      customer: erased,
      event: null,
      replayed: false,
    });
    expect(store.events()).toHaveLength(2);
    const again = await succeeds(domain.createCustomer(OWNER, ADA, { idempotencyKey: 'creation' }));
    expect(again).toEqual({ customer: erased, event: null, replayed: true });
    await succeeds(domain.createCustomer(OWNER, { email: 'ADA@example.com' }));
  });

  it('erases again what its orders have got since, and a retry of it erases nothing', async () => {
    const { store, domain, clock, customer, placed } = await aShop(4);
    const [noted = '', returned = '', moved = '', paid = ''] = placed;
    const { customer: other } = await succeeds(domain.createCustomer(OWNER, { email: 'bob@example.com' }));
    const erase = (idempotencyKey?: string) => domain.eraseCustomer(OWNER, customer.id, { idempotencyKey });
    const { customer: erased } = await succeeds(erase('erasure'));
    const { order } = await succeeds(domain.fulfillItems(OWNER, returned, {}));
    const items = [{ item_id: order.items[0]?.id ?? '', quantity: 1 }];
    await succeeds(domain.returnItems(OWNER, returned, { items, reason: 'Ada again' }));
    await succeeds(domain.changeOrder(OWNER, moved, { customer_id: other.id, note: 'For Bob' }));
    await succeeds(domain.changeOrder(OWNER, paid, { status: 'paid' }));
    const note = async () => await succeeds(domain.changeOrder(OWNER, noted, { note: 'Ada again' }));
    await note();
    // A retry of the first one.
    expect(await succeeds(erase('erasure'))).toEqual({ customer: erased, event: null, replayed: true });
    const before = store.events().length;
    clock.advance(1000);
    expect(await succeeds(erase('again'))).toEqual({ customer: erased, event: null, replayed: false });
    expect(store.events().slice(before)).toMatchObject([
      { type: 'order.erased', aggregate_id: noted, version: 4, changed: ['note', 'erased_at'] },
      { type: 'order.erased', aggregate_id: returned, version: 5, changed: ['erased_at'] },
    ]);
    for (const id of placed) expect(JSON.stringify(await versionsOf(domain, id))).not.toContain('Ada');
    expect(await succeeds(domain.getOrder(OWNER, moved))).toMatchObject({ note: 'For Bob' });
    await note();
    const noted5 = store.events().length;
    expect(await succeeds(erase('again'))).toEqual({ customer: erased, event: null, replayed: true });
    expect(store.events()).toHaveLength(noted5);
    await succeeds(erase());
    expect(await succeeds(erase())).toEqual({ customer: erased, event: null, replayed: false });
    expect(store.events()).toHaveLength(noted5 + 1);
  });

  it('that is repeated while the first one is pending erases what came behind its walk', async () => {
    const { store, domain, clock, customer, placed } = await aShop(25);
    await succeeds(domain.eraseCustomer(OWNER, customer.id));
    const { next } = await succeeds(domain.continueErasures(OWNER));
    const [id = ''] = placed;
    await succeeds(domain.changeOrder(OWNER, id, { note: 'Ada again' }));
    const failing = createDomain(
      faulty({ ...store, clock, ids: sequentialIds(7) }, { 'orders.findOrdersOf': 'unavailable' }),
    );
    await succeeds(failing.eraseCustomer(OWNER, customer.id));
    for (let walk = next; walk !== null;) walk = (await succeeds(domain.continueErasures(OWNER, walk))).next;
    expect(JSON.stringify(await versionsOf(domain, id))).not.toContain('Ada');
    expect((await succeeds(domain.getCustomer(OWNER, customer.id))).erasure).toEqual({ status: 'done' });
  });

  it('is requested again by a retry when the request before its key was used has failed', async () => {
    const { store, domain, clock, customer, placed } = await aShop();
    const [id = ''] = placed;
    await succeeds(domain.eraseCustomer(OWNER, customer.id));
    await succeeds(domain.changeOrder(OWNER, id, { note: 'Ada again' }));
    const options = { idempotencyKey: 'again' };
    const failing = createDomain(
      faulty({ ...store, clock, ids: sequentialIds(7) }, { 'customers.repeatErasure': 'unavailable' }),
    );
    expect(await fails(failing.eraseCustomer(OWNER, customer.id, options))).toMatchObject({ type: 'unavailable' });
    await succeeds(domain.eraseCustomer(OWNER, customer.id, options));
    expect(await succeeds(domain.getOrder(OWNER, id))).toMatchObject({ note: null });
  });

  it('takes everything personal of each order that was ever assigned to the customer, by one version', async () => {
    const { store, domain, customer, placed } = await aShop(3);
    const [cancelled = '', moved = '', deleted = ''] = placed;
    const { order } = await succeeds(
      domain.fulfillItems(OWNER, cancelled, { tracking: { carrier: 'Harbour Mail', number: 'ada-1' } }),
    );
    const returned = [{ item_id: order.items[0]?.id ?? '', quantity: 1 }];
    await succeeds(domain.returnItems(OWNER, cancelled, { items: returned, reason: 'Ada moved' }));
    await succeeds(domain.cancelOrder(OWNER, cancelled, { reason: 'Ada left' }));
    await succeeds(domain.changeOrder(OWNER, moved, { customer_id: null }));
    await succeeds(domain.deleteOrder(OWNER, deleted));
    const unrelated = await place(domain, null);
    const before = store.events().length;
    const { customer: erased } = await succeeds(domain.eraseCustomer(OWNER, customer.id));
    expect(erased.erasure).toEqual({ status: 'done' });
    const recorded = store.events().slice(before);
    const changed = ['note', 'fulfillments', 'metadata', 'cancel_reason', 'erased_at'];
    expect(recorded.slice(1)).toMatchObject([
      { type: 'order.erased', aggregate_id: cancelled, version: 5, changed, actor: null },
      { type: 'order.erased', aggregate_id: moved, version: 3, changed: ['note', 'metadata', 'erased_at'] },
    ]);
    for (const id of placed) {
      const versions = await versionsOf(domain, id);
      expect(JSON.stringify(versions)).not.toMatch(/Ada|ada-1/);
    }
    expect(await versionsOf(domain, deleted)).toHaveLength(2);
    const query = { after: null, start: 'oldest', limit: 100, types: null, include: [] } as const;
    const { data } = await succeeds(store.feed.read(OWNER, query));
    const named = data.filter(({ external_user_id }) => external_user_id !== null);
    expect(named).toMatchObject([{ resource: { id: unrelated }, external_user_id: 'Ada 1' }]);
    expect(store.events().map(({ external_user_id }) => external_user_id)).toEqual(
      data.map(({ external_user_id }) => external_user_id),
    );
    expect(await succeeds(domain.getOrder(OWNER, unrelated))).toMatchObject(PERSONAL);
  });

  it('takes custom data', async () => {
    const store = inMemoryStore({ definition: NOTES });
    const domain = createDomain({ ...store, clock: fixedClock(NOW), ids: sequentialIds() }, NOTES);
    const { customer } = await succeeds(domain.createCustomer(OWNER, ADA));
    const input = { items: [LINE], customer_id: customer.id, custom: { for: 'Ada' } };
    const { order } = await succeeds(domain.placeOrder(OWNER, input, { idempotencyKey: 'order' }));
    await succeeds(domain.eraseCustomer(OWNER, customer.id));
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toMatchObject({ custom: null, version: 2 });
    const retry = await succeeds(domain.placeOrder(OWNER, input, { idempotencyKey: 'order' }));
    expect(retry).toEqual({ order: { ...order, custom: null }, event: null, replayed: true });
  });

  it('is done by further batches, each order once', async () => {
    const { store, domain, customer } = await aShop(25);
    const retry = () => domain.eraseCustomer(OWNER, customer.id, { idempotencyKey: 'erasure' });
    const { customer: pending } = await succeeds(retry());
    expect(pending.erasure).toEqual({ status: 'pending' });
    expect(await succeeds(retry())).toEqual({ customer: pending, event: null, replayed: true });
    expect(await finish(domain)).toBe(3);
    expect(await finish(domain)).toBe(1);
    const erased = store.events().filter(({ type }) => type === 'order.erased');
    expect(new Set(erased.map(({ aggregate_id }) => aggregate_id)).size).toBe(25);
    expect(erased).toHaveLength(25);
    const done = await succeeds(retry());
    expect(done.customer).toEqual({ ...pending, erasure: { status: 'done' } });
  });

  it.each([
    ['orders.findOrdersOf', 'unavailable'],
    ['orders.load', 'passed over'],
    ['orders.commit', 'passed over'],
    ['customers.finishErasures', 'unavailable'],
  ] as const)('is recorded when %s fails, and done by a later batch', async (method, outcome) => {
    const { store, clock, customer, placed } = await aShop(2);
    const ports = { ...store, clock, ids: sequentialIds(7) };
    const failing = createDomain(faulty(ports, { [method]: 'unavailable' }));
    const { customer: pending } = await succeeds(failing.eraseCustomer(OWNER, customer.id));
    expect(pending).toMatchObject({ email: null, erasure: { status: 'pending' } });
    let progress = await failing.continueErasures(OWNER);
    for (const _ of placed) if (progress.isOk()) progress = await failing.continueErasures(OWNER, progress.value.next);
    expect(
      progress.match(
        ({ passedOver }) => passedOver && 'passed over',
        ({ type }) => type,
      ),
    ).toBe(outcome);
    const domain = createDomain(ports);
    expect(await finish(domain)).toBe(1);
    for (const id of placed) expect(await versionsOf(domain, id)).toHaveLength(2);
  });

  it('finds an order again that changes after it was found', async () => {
    const { store, domain, clock, customer, placed } = await aShop(2);
    const [id = ''] = placed;
    let isFirst = true;
    const orders = {
      ...store.orders,
      findOrdersOf: (...args: Parameters<typeof store.orders.findOrdersOf>) =>
        store.orders.findOrdersOf(...args).andThen((found) => {
          const changed = isFirst ? { note: 'Ada again' } : {};
          isFirst = false;
          return domain
            .changeOrder(OWNER, id, changed)
            .map(() => found)
            .mapErr(() => ({ type: 'unavailable', cause: null }) as const);
        }),
    };
    const racing = createDomain({ ...store, orders, clock, ids: sequentialIds(8) });
    const { customer: pending } = await succeeds(racing.eraseCustomer(OWNER, customer.id));
    expect(pending.erasure).toEqual({ status: 'pending' });
    await finish(racing);
    for (const each of placed) expect(JSON.stringify(await versionsOf(domain, each))).not.toMatch(/Ada|ada-1/);
    expect(await versionsOf(domain, id)).toHaveLength(3);
  });

  it('passes over an order that is locked, and is done for all but its customers', async () => {
    const { store, domain, clock, customer, placed } = await aShop(3);
    const [locked = '', moved = '', last = ''] = placed;
    const [grace, alan] = [
      (await succeeds(domain.createCustomer(OWNER, { email: 'grace@example.com' }))).customer,
      (await succeeds(domain.createCustomer(OWNER, { email: 'alan@example.com' }))).customer,
    ];
    await succeeds(domain.changeOrder(OWNER, locked, { customer_id: alan.id }));
    await succeeds(domain.changeOrder(OWNER, last, { customer_id: grace.id }));
    const ports = { ...store, clock, ids: sequentialIds(7) };
    const recording = createDomain(faulty(ports, { 'orders.findOrdersOf': 'unavailable' }));
    for (const { id } of [customer, grace, alan]) await succeeds(recording.eraseCustomer(OWNER, id));
    const load: typeof store.orders.load = (owner, id) =>
      id === locked ? errAsync({ type: 'unavailable', cause: 'locked' }) : store.orders.load(owner, id);
    const other = createDomain({ ...ports, orders: { ...store.orders, load } });
    let walk: ErasureWalk | null = null;
    let progress: ErasureProgress;
    do {
      progress = await succeeds(other.continueErasures(OWNER, walk));
      walk = progress.next;
    } while (progress.passedOver === null);
    expect(progress).toMatchObject({ finished: 1, passedOver: { cause: 'locked' } });
    const statusOf = async (id: string) => (await succeeds(domain.getCustomer(OWNER, id))).erasure?.status;
    const statuses = await Promise.all([customer, grace, alan].map(async ({ id }) => await statusOf(id)));
    expect(statuses).toEqual(['pending', 'done', 'pending']);
    for (const id of [moved, last]) expect(await succeeds(domain.getOrder(OWNER, id))).toMatchObject({ note: null });
    expect(await finish(domain)).toBe(1);
    expect(await succeeds(domain.getOrder(OWNER, locked))).toMatchObject({ note: null });
  });

  it('is one walk for all customers whose erasure is pending, and erases an order after the last of them', async () => {
    const { store, domain, clock, customer, placed } = await aShop(25);
    const grace = (await succeeds(domain.createCustomer(OWNER, { email: 'grace@example.com' }))).customer;
    const [shared = ''] = placed;
    await succeeds(domain.changeOrder(OWNER, shared, { customer_id: grace.id }));
    const ids = sequentialIds(7);
    const failing = createDomain(faulty({ ...store, clock, ids }, { 'orders.findOrdersOf': 'unavailable' }));
    await succeeds(failing.eraseCustomer(OWNER, customer.id));
    clock.advance(60_000);
    const { customer: last } = await succeeds(failing.eraseCustomer(OWNER, grace.id));
    // The clock of the server that finishes is behind.
    clock.advance(-90_000);
    expect(await finish(domain)).toBe(3);
    for (const { id } of [customer, grace])
      expect(await succeeds(domain.getCustomer(OWNER, id))).toMatchObject({ erasure: { status: 'done' } });
    const order = await succeeds(domain.getOrder(OWNER, shared));
    expect(order).toMatchObject({ note: null, version: 3, erased_at: last.erased_at, updated_at: last.erased_at });
  });
});
