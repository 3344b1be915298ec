import {
  createDomain,
  type CustomerDataLine,
  type Domain,
  type ErasureProgress,
  type ErasureWalk,
  type Page,
  type Position,
} from '@orders/domain';
import { faulty, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { fails, invalidFields, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';

const LINE = { sku: 'MUG', name: 'Mug', quantity: 2, unit_price: { amount: 1999, currency: 'EUR' } };
const GUEST = { email: 'Ada@Example.com', name: 'Ada L.' };
const EMAIL = { email: 'ada@example.com' };

/** Returns a domain with orders of a guest and of a customer who have one email, and its ports. */
async function aShop(orders = 1) {
  const store = inMemoryStore();
  const ports = { ...store, clock: fixedClock(NOW), ids: sequentialIds() };
  const domain = createDomain(ports);
  const { customer } = await succeeds(domain.createCustomer(OWNER, { ...EMAIL, name: 'Ada' }));
  const placed: string[] = [];
  for (let count = 0; count < orders; count += 1) placed.push(await place(domain, { buyer: GUEST, note: 'For Ada' }));
  placed.push(await place(domain, { customer_id: customer.id, note: 'For Ada' }));
  return { store, ports, domain, customer, placed };
}

async function place(domain: Domain, input: Partial<Parameters<Domain['placeOrder']>[1]>): Promise<string> {
  return (await succeeds(domain.placeOrder(OWNER, { items: [LINE], ...input }))).order.id;
}

/** Returns a domain whose store does not load some aggregates, as while another transaction locks them. */
function lockedIn(
  ports: Awaited<ReturnType<typeof aShop>>['ports'],
  kind: 'orders' | 'customers',
  isLocked: (id: string) => boolean,
): Domain {
  const faults = faulty(ports, { [`${kind}.load`]: 'unavailable' });
  const { orders, customers } = ports;
  return createDomain({
    ...ports,
    orders: { ...orders, load: (owner, id) => (isLocked(id) ? faults : ports).orders.load(owner, id) },
    customers: { ...customers, load: (owner, id) => (isLocked(id) ? faults : ports).customers.load(owner, id) },
  });
}

/** Continues erasures until a walk has ended that passed something over. */
async function untilPassedOver(domain: Domain): Promise<void> {
  let progress = await succeeds(domain.continueErasures(OWNER));
  while (!progress.passedOver) progress = await succeeds(domain.continueErasures(OWNER, progress.next));
}

/** Continues erasures until none is pending, at least one batch. */
async function finish(domain: Domain): Promise<void> {
  let walk: ErasureWalk | null = null;
  do {
    const { next }: ErasureProgress = await succeeds(domain.continueErasures(OWNER, walk));
    walk = next;
  } while (walk !== null);
}

/** Returns all that is stored of the person, in pages. */
async function dataOf(domain: Domain, limit = 100): Promise<readonly CustomerDataLine[]> {
  const lines: CustomerDataLine[] = [];
  for (let after: Position<string> | undefined; ;) {
    const page: Page<CustomerDataLine, string> = await succeeds(
      domain.readPersonData(OWNER, { ...EMAIL, limit, after }),
    );
    // Many large ones would be a response without a bound.
    expect(page.data.filter(({ kind }) => kind === 'order').length).toBeLessThan(2);
    lines.push(...page.data);
    if (!page.next) return lines;
    after = page.next;
  }
}

describe('an erasure by email', () => {
  it('erases the customer and each order whose buyer or customer it is or was, deleted ones too, once', async () => {
    const { store, domain, customer, placed } = await aShop(3);
    const [, moved = '', deleted = ''] = placed;
    await succeeds(domain.changeOrder(OWNER, moved, { buyer: { email: 'bob@example.com' } }));
    await succeeds(domain.deleteOrder(OWNER, deleted));
    const unrelated = await place(domain, { buyer: { email: 'bob@example.com' } });
    const before = store.events().length;
    const options = { idempotencyKey: 'erasure', actor: 'client:desk' };
    const { erasure, replayed } = await succeeds(domain.erasePerson(OWNER, { email: 'ADA@example.com' }, options));
    expect({ erasure, replayed }).toEqual({ erasure: { id: erasure.id, status: 'done' }, replayed: false });
    expect(await succeeds(domain.getErasure(OWNER, erasure.id))).toEqual(erasure);
    const erased = placed
      .filter((id) => id !== deleted)
      .map((aggregate_id) => ({ type: 'order.erased', aggregate_id }));
    const ofCustomer = { type: 'customer.erased', aggregate_id: customer.id, actor: 'client:desk' };
    expect(store.events().slice(before)).toMatchObject([ofCustomer, ...erased]);
    for (const id of placed) {
      const { data } = await succeeds(domain.listOrderVersions(OWNER, id));
      expect(JSON.stringify(data)).not.toMatch(/Ada|@example/);
    }
    expect(await succeeds(domain.getOrder(OWNER, unrelated))).toMatchObject({ version: 1 });
    const retry = await succeeds(domain.erasePerson(OWNER, EMAIL, options));
    expect(retry).toEqual({ erasure, replayed: true });
    expect(store.events()).toHaveLength(before + 1 + erased.length);
    // A further one finds nothing.
    await succeeds(domain.erasePerson(OWNER, EMAIL));
    expect(store.events()).toHaveLength(before + 1 + erased.length);
    const reused = { type: 'idempotency_key_reused' };
    expect(await fails(domain.erasePerson(OWNER, { email: 'bob@example.com' }, options))).toEqual(reused);
  });

  it('is pending until further batches have erased everything, and what has got the email since', async () => {
    const { domain, placed } = await aShop(25);
    const { erasure } = await succeeds(domain.erasePerson(OWNER, EMAIL, { idempotencyKey: 'erasure' }));
    expect(erasure.status).toBe('pending');
    placed.push(await place(domain, { buyer: GUEST }));
    await succeeds(domain.createCustomer(OWNER, EMAIL));
    await finish(domain);
    const done = { id: erasure.id, status: 'done' };
    expect(await succeeds(domain.getErasure(OWNER, erasure.id))).toEqual(done);
    const retry = await succeeds(domain.erasePerson(OWNER, EMAIL, { idempotencyKey: 'erasure' }));
    expect(retry).toEqual({ erasure: done, replayed: true });
    for (const id of placed)
      expect(await succeeds(domain.getOrder(OWNER, id))).toMatchObject({ buyer: null, note: null });
    expect(await dataOf(domain)).toEqual([]);
  });

  it('that ends at any step is finished later, and erases each order once', async () => {
    let steps = 0;
    for (let at = 1; steps >= at - 1; at += 1) {
      const { store, ports, domain, placed } = await aShop(2);
      steps = 0;
      const failing = createDomain(faulty(ports, () => ((steps += 1) === at ? 'unavailable' : null)));
      await failing.erasePerson(OWNER, EMAIL, { idempotencyKey: 'erasure' });
      const { erasure } = await succeeds(domain.erasePerson(OWNER, EMAIL, { idempotencyKey: 'erasure' }));
      await finish(domain);
      expect((await succeeds(domain.getErasure(OWNER, erasure.id))).status).toBe('done');
      expect(await dataOf(domain)).toEqual([]);
      expect(store.events().filter(({ type }) => type === 'order.erased')).toHaveLength(placed.length);
    }
    expect(steps).toBeGreaterThan(8);
  });

  it('is not done while an order of its customer is passed over, which may lack the email', async () => {
    const { ports, domain, placed } = await aShop(1);
    const last = placed.at(-1) ?? '';
    const isLocked = (id: string) => id === last;
    const locked = lockedIn(ports, 'orders', isLocked);
    const { erasure } = await succeeds(locked.erasePerson(OWNER, EMAIL));
    expect(erasure.status).toBe('pending');
    await untilPassedOver(locked);
    expect(await succeeds(domain.getErasure(OWNER, erasure.id))).toEqual(erasure);
    await finish(domain);
    expect((await succeeds(domain.getErasure(OWNER, erasure.id))).status).toBe('done');
    expect(await succeeds(domain.getOrder(OWNER, last))).toMatchObject({ note: null });
  });

  it('of a customer that is locked delays no other one', async () => {
    const { ports, domain, customer } = await aShop(1);
    const guest = await place(domain, { buyer: { email: 'bob@example.com' } });
    const recording = createDomain(
      faulty(ports, { 'orders.findOrdersOf': 'unavailable', 'customers.commit': 'unavailable' }),
    );
    const { erasure: ada } = await succeeds(recording.erasePerson(OWNER, EMAIL));
    const { erasure: bob } = await succeeds(recording.erasePerson(OWNER, { email: 'bob@example.com' }));
    const locked = lockedIn(ports, 'customers', (id) => id === customer.id);
    await untilPassedOver(locked);
    expect((await succeeds(domain.getErasure(OWNER, bob.id))).status).toBe('done');
    expect((await succeeds(domain.getErasure(OWNER, ada.id))).status).toBe('pending');
    expect(await succeeds(domain.getOrder(OWNER, guest))).toMatchObject({ buyer: null });
    await finish(domain);
    expect((await succeeds(domain.getErasure(OWNER, ada.id))).status).toBe('done');
    expect(await dataOf(domain)).toEqual([]);
  });

  it('keeps each order before it is erased, so that it can be erased again after a restore', async () => {
    const { ports, domain, placed } = await aShop(1);
    const kept: string[] = [];
    const { erasures } = ports.customers;
    const keepOrder: typeof erasures.keepOrder = (owner, id, at) => {
      kept.push(`${id} ${at}`);
      return erasures.keepOrder(owner, id, at);
    };
    const customers = { ...ports.customers, erasures: { ...erasures, keepOrder } };
    await succeeds(createDomain({ ...ports, customers }).erasePerson(OWNER, EMAIL));
    // That of the customer alone is found by its id.
    expect(kept).toEqual([`${placed[0]} ${NOW}`]);
    const [id = ''] = placed;
    expect(await succeeds(domain.replayErasure(OWNER, id, NOW))).toBe(false);
    const restored = await aShop(2);
    const [again = '', deleted = ''] = restored.placed;
    await succeeds(restored.domain.deleteOrder(OWNER, deleted));
    for (const each of [again, deleted]) {
      expect(await succeeds(restored.domain.replayErasure(OWNER, each, NOW))).toBe(true);
      const { data } = await succeeds(restored.domain.listOrderVersions(OWNER, each));
      expect(JSON.stringify(data)).not.toMatch(/Ada|@example/);
    }
    expect(await succeeds(restored.domain.replayErasure(OWNER, again, NOW))).toBe(false);
  });

  it('is found by its own id alone', async () => {
    const { domain } = await aShop();
    const { erasure } = await succeeds(domain.erasePerson(OWNER, EMAIL));
    const missing = { type: 'erasure_not_found', id: erasure.id };
    expect(await fails(domain.getErasure('other', erasure.id))).toEqual(missing);
    expect(await fails(domain.erasePerson(OWNER, { email: 'ada' }))).toMatchObject({ type: 'validation_failed' });
  });
});

describe('the data of a person', () => {
  it.each([1, 2, 100])(
    'has the customer, and each order that an erasure finds, once, in pages of %d',
    async (limit) => {
      const { domain, customer, placed } = await aShop(3);
      const [changed = '', moved = '', deleted = ''] = placed;
      for (const note of ['a', 'b']) await succeeds(domain.changeOrder(OWNER, changed, { note }));
      await succeeds(domain.changeOrder(OWNER, moved, { buyer: null }));
      await succeeds(domain.deleteOrder(OWNER, deleted));
      // Some between them, so that several batches have none.
      for (let count = 0; count < 25; count += 1) await place(domain, {});
      const last = await place(domain, { buyer: GUEST });
      const versions = { [changed]: 3, [moved]: 2, [deleted]: 2 };
      const expected = [...placed, last].flatMap((order_id) => [
        ...(order_id === deleted ? [] : [{ kind: 'order', id: order_id }]),
        ...Array.from({ length: versions[order_id] ?? 1 }, (_, index) => ({
          kind: 'order_version',
          order_id,
          version: (versions[order_id] ?? 1) - index,
        })),
      ]);
      expect(await dataOf(domain, limit)).toMatchObject([{ kind: 'customer', ...customer }, ...expected]);
    },
  );

  it('refuses a position that no page has', async () => {
    const { domain, customer } = await aShop();
    for (const value of ['', 'at', 'at -1', 'below 99999999999', 'at 1 2'])
      expect(await fails(domain.readPersonData(OWNER, { ...EMAIL, after: { value, id: customer.id } }))).toMatchObject(
        invalidFields('after: invalid_value (must be the end position of a page)'),
      );
  });
});
