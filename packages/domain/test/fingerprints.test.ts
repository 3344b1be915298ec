import { createDomain, type Domain, type Idempotency } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { errAsync, type ResultAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { aBody, CUSTOMER, NOBODY, OWNER } from './a-domain.ts';

const KEY = { idempotencyKey: 'key-1' };
const LINE = '[["name","Mug"],["quantity",1],["sku","MUG"],["unit_price",[["amount",1999],["currency","EUR"]]]]';

/** The fingerprint under which the store is asked to write. */
async function fingerprintOf(write: (domain: Domain) => ResultAsync<unknown, unknown>): Promise<string | undefined> {
  let asked: Idempotency | undefined;
  const note = (idempotency: Idempotency | undefined) => {
    asked = idempotency;
    return errAsync({ type: 'unavailable', cause: 'only noted' } as const);
  };
  const writes = {
    insert: (_owner: string, _made: unknown, idempotency?: Idempotency) => note(idempotency),
    update: (_owner: string, _id: string, _change: unknown, idempotency?: Idempotency) => note(idempotency),
    delete: (_owner: string, _id: string, _judge: unknown, idempotency?: Idempotency) => note(idempotency),
  };
  const { orders, customers } = inMemoryStore();
  const domain = createDomain({
    orders: { ...orders, ...writes },
    customers: { ...customers, ...writes },
    clock: fixedClock(),
    ids: sequentialIds(),
  });
  await write(domain);
  return asked?.fingerprint;
}

// Stores keep fingerprints for as long as a key lives: a release that spelled them anew would refuse every retry.
it.each<[string, (domain: Domain) => ResultAsync<unknown, unknown>, string]>([
  [
    'placing an order',
    (domain) => domain.placeOrder(OWNER, aBody({ note: 'n', metadata: { b: '2', a: '1' } }), KEY),
    `["place_order",[["items",[${LINE}]],["metadata",[["a","1"],["b","2"]]],["note","n"]]]`,
  ],
  [
    'changing an order',
    (domain) => domain.changeOrder(OWNER, NOBODY, { status: 'paid', note: null, metadata: { a: null } }, KEY),
    `["change_order","${NOBODY}",[["metadata",[["a",null]]],["note",null],["status","paid"]]]`,
  ],
  ['changing nothing', (domain) => domain.changeOrder(OWNER, NOBODY, {}, KEY), `["change_order","${NOBODY}",[]]`],
  [
    'cancelling an order',
    (domain) => domain.cancelOrder(OWNER, NOBODY, {}, KEY),
    `["change_order","${NOBODY}",[["cancel_reason",null],["status","cancelled"]]]`,
  ],
  ['deleting an order', (domain) => domain.deleteOrder(OWNER, NOBODY, KEY), `["delete_order","${NOBODY}"]`],
  [
    'creating a customer',
    (domain) => domain.createCustomer(OWNER, { email: 'a@b' }, KEY),
    '["create_customer",[["email","a@b"],["metadata",[]]]]',
  ],
  [
    'changing a customer',
    (domain) => domain.changeCustomer(OWNER, CUSTOMER, { name: 'Ada', metadata: null }, KEY),
    `["change_customer","${CUSTOMER}",[["metadata",null],["name","Ada"]]]`,
  ],
  ['deleting a customer', (domain) => domain.deleteCustomer(OWNER, CUSTOMER, KEY), `["delete_customer","${CUSTOMER}"]`],
])('the fingerprint of %s is spelled as ever', async (_, write, expected) => {
  expect(await fingerprintOf(write)).toBe(expected);
});

it('is the same whatever the order of its keys', async () => {
  const entries = Array.from({ length: 100 }, (_, index) => [`key ${index}`, null] as const);
  const change = (metadata: object) => fingerprintOf((domain) => domain.changeOrder(OWNER, NOBODY, { metadata }, KEY));
  const expected = await change(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  expect(await change(Object.fromEntries(entries))).toBe(expected);
  expect(await change(Object.fromEntries(entries.toReversed()))).toBe(expected);
});

// A patch has as many keys as a body has room for: more than a call may have arguments.
it('is written for a patch with 150,000 keys', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`z${index}`, null]));
  expect(await fingerprintOf((domain) => domain.changeOrder(OWNER, NOBODY, { metadata }, KEY))).toContain('z149999');
});
