import { createDomain, type DefaultDefinition, type Idempotency, untyped, type UntypedDomain } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import type { UntypedWebhooks } from '@orders/domain/webhooks';
import { errAsync, type ResultAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { idempotencyFor } from '../../src/shared/idempotency.ts';
import { aBody, CUSTOMER, OWNER, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { aWebhooks, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

const KEY = { idempotencyKey: 'key-1' };
const LINE = '[{},"name","Mug","quantity",1,"sku","MUG","unit_price",[{},"amount",1999,"currency","EUR"]]';

type Write = (
  useCases: UntypedDomain<DefaultDefinition> & UntypedWebhooks<DefaultDefinition>,
) => ResultAsync<unknown, unknown>;

/** Returns the fingerprint that a use case passes to the store. */
async function fingerprintOf(write: Write): Promise<string | undefined> {
  let requested: Idempotency | undefined;
  const writes = {
    findRecorded: (_owner: string, key: Idempotency) => {
      requested = key;
      return errAsync({ type: 'unavailable', cause: 'nothing is stored' } as const);
    },
  };
  const { orders, customers, webhookEndpoints } = inMemoryStore();
  const domain = createDomain({
    orders: { ...orders, ...writes },
    customers: { ...customers, ...writes },
    clock: fixedClock(),
    ids: sequentialIds(),
  });
  await write({ ...untyped(domain), ...aWebhooks({ endpoints: { ...webhookEndpoints, ...writes } }) });
  return requested?.fingerprint;
}

// Stores keep fingerprints until their keys expire. A release that changed their text would reject every retry.
it.each<[string, Write, string]>([
  [
    'placing an order',
    (domain) => domain.placeOrder(OWNER, aBody({ note: 'n', metadata: { b: '2', a: '1' } }), KEY),
    `["place_order",[{},"items",[${LINE}],"metadata",[{},"a","1","b","2"],"note","n"]]`,
  ],
  [
    'placing an order for a buyer',
    (domain) =>
      domain.placeOrder(
        OWNER,
        aBody({ buyer: { name: null, email: 'a@b' }, external_ids: { erp: ['1'], stripe: [] }, billing_address: null }),
        KEY,
      ),
    `["place_order",[{},"buyer",[{},"email","a@b"],"external_ids",[{},"erp",["1"]],"items",[${LINE}]]]`,
  ],
  [
    'changing the buyer of an order',
    (domain) => domain.changeOrder(OWNER, UNKNOWN_ID, { buyer: { name: null }, external_ids: { erp: [] } }, KEY),
    `["change_order","${UNKNOWN_ID}",[{},"buyer",[{},"name",null],"external_ids",[{},"erp",null]]]`,
  ],
  [
    'changing an order',
    (domain) => domain.changeOrder(OWNER, UNKNOWN_ID, { status: 'paid', note: null, metadata: { a: null } }, KEY),
    `["change_order","${UNKNOWN_ID}",[{},"metadata",[{},"a",null],"note",null,"status","paid"]]`,
  ],
  [
    'changing nothing',
    (domain) => domain.changeOrder(OWNER, UNKNOWN_ID, {}, KEY),
    `["change_order","${UNKNOWN_ID}",[{}]]`,
  ],
  [
    'cancelling an order',
    (domain) => domain.cancelOrder(OWNER, UNKNOWN_ID, {}, KEY),
    `["change_order","${UNKNOWN_ID}",[{},"cancel_reason",null,"status","cancelled"]]`,
  ],
  ['deleting an order', (domain) => domain.deleteOrder(OWNER, UNKNOWN_ID, KEY), `["delete_order","${UNKNOWN_ID}"]`],
  [
    'creating a customer',
    (domain) => domain.createCustomer(OWNER, { email: 'a@b' }, KEY),
    '["create_customer",[{},"email","a@b"]]',
  ],
  [
    'changing a customer',
    (domain) => domain.changeCustomer(OWNER, CUSTOMER, { name: 'Ada', metadata: null }, KEY),
    `["change_customer","${CUSTOMER}",[{},"metadata",null,"name","Ada"]]`,
  ],
  ['deleting a customer', (domain) => domain.deleteCustomer(OWNER, CUSTOMER, KEY), `["delete_customer","${CUSTOMER}"]`],
  [
    'creating an endpoint',
    (webhooks) => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER, types: ['order.paid'] }, KEY),
    `["create_webhook_endpoint",[{},"include",[],"types",["order.paid"],"url","${URL_OF_RECEIVER}"]]`,
  ],
  [
    'changing an endpoint',
    (webhooks) => webhooks.changeEndpoint(OWNER, UNKNOWN_ID, { status: 'disabled', types: null }, KEY),
    `["change_webhook_endpoint","${UNKNOWN_ID}",[{},"status","disabled","types",null]]`,
  ],
  [
    'rotating a secret',
    (webhooks) => webhooks.rotateSecret(OWNER, UNKNOWN_ID, {}, KEY),
    `["rotate_webhook_secret","${UNKNOWN_ID}",86400]`,
  ],
  [
    'deleting an endpoint',
    (webhooks) => webhooks.deleteEndpoint(OWNER, UNKNOWN_ID, KEY),
    `["delete_webhook_endpoint","${UNKNOWN_ID}"]`,
  ],
])('the fingerprint of %s never changes', async (_, write, expected) => {
  expect(await fingerprintOf(write)).toBe(expected);
});

it('a fingerprint is the same for every order of metadata keys', async () => {
  const entries = Array.from({ length: 100 }, (_, index) => [`key ${index}`, null] as const);
  const change = (metadata: object) =>
    fingerprintOf((domain) => domain.changeOrder(OWNER, UNKNOWN_ID, { metadata }, KEY));
  const expected = await change(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  expect(await change(Object.fromEntries(entries))).toBe(expected);
  expect(await change(Object.fromEntries(entries.toReversed()))).toBe(expected);
});

it('a fingerprint differs for an object and for lists of its members', () => {
  const values = [{ a: 1 }, ['a', 1], [['a', 1]], [{}, 'a', 1], { a: [1] }, [], {}];
  const texts = values.map((value) => idempotencyFor({ clock: fixedClock() }, KEY, 'place_order', value)?.fingerprint);
  expect(new Set(texts).size).toBe(values.length);
});
