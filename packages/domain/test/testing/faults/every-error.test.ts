import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADJUSTMENTS_MAX, createDomain, type Domain, FULFILLMENTS_MAX, type Order, type Owner } from '@orders/domain';
import { FEED_START, FeedLost, type FeedQueryInput, followEvents, readEvents } from '@orders/domain/events';
import {
  aCustomer,
  aFulfillment,
  anAdjustment,
  anEventOf,
  anEventOfCustomer,
  anItem,
  anOrder,
  type FaultScript,
  faulty,
  fixedClock,
  inMemoryStore,
  sequentialIds,
} from '@orders/domain/testing';
import { ATTEMPT_ERRORS, createWebhooks, type Webhooks, type WebhookSender } from '@orders/domain/webhooks';
import { err, ok, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { OWNER, succeeds } from '../../fixtures/a-domain.ts';

const DOCUMENT = join(import.meta.dirname, '../../../../../docs/reference/errors-in-tests.md');

const given = sequentialIds(0xd);
const [ORDER, CANCELLED, CUSTOMER, OTHER] = [given.next(), given.next(), given.next(), given.next()];
const [EVENT, UNKNOWN, ERASED, GUESTS] = [given.next(), given.next(), given.next(), given.next()];
const RECENT = '2026-01-02T03:04:05.678Z';
/** An order with as many adjustments and fulfillments as possible. */
const FULL = given.next();
/** An order whose total is almost the highest one. */
const HUGE = given.next();
const [ITEM, SENT, MISTAKEN, CAME_BACK] = [given.next(), given.next(), given.next(), given.next()];
/** The first id that the use cases take. */
const ENDPOINT = sequentialIds().next();
const RYE = { sku: 'RYE', name: 'Rye', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } };
const DEAR = { ...RYE, unit_price: { amount: 1_000_000_000_000, currency: 'USD' } };
const PART = { item_id: ITEM, quantity: 1 };
const LOT = { ...PART, quantity: 9 };
const POST = { type: 'shipping', name: 'Post', amount: { amount: 495, currency: 'EUR' } } as const;
const CREDIT = { ...POST, amount: { amount: -495, currency: 'EUR' } };
const ABROAD = { ...POST, amount: { amount: 495, currency: 'USD' } };
const GIFT = { ...POST, type: 'discount', amount: { amount: -1_000_000, currency: 'EUR' } } as const;
const FEE = { ...POST, type: 'fee', amount: { amount: 1_000_000_000_000, currency: 'EUR' } } as const;
const GONE = { sameCommand: true, id: UNKNOWN, aggregate: null };
const NO_ROOM = { type: 'too_many_endpoints' } as const;

type UseCases = Omit<Domain & Webhooks, 'definition'> & {
  readonly readEvents: (owner: Owner, query?: FeedQueryInput) => ReturnType<typeof readEvents>;
  readonly followEvents: (owner: Owner) => ResultAsync<unknown, FeedLost['reason']>;
};

/** Errors that no line makes: the default lifecycle lets every order be cancelled. */
type Never = { readonly cancelOrder: 'invalid_status_transition' };

type ErrorTypeOf<UseCase extends (...input: never) => unknown> =
  ReturnType<UseCase> extends ResultAsync<unknown, { readonly type: infer Type extends string }> ? Type : never;

/** The input of a use case with which it makes an error, or the faults with which its correct input makes one. */
type Lines = {
  readonly [Name in keyof UseCases]: { readonly correct: Readonly<Parameters<UseCases[Name]>> } & {
    readonly [Type in Exclude<ErrorTypeOf<UseCases[Name]>, Name extends keyof Never ? Never[Name] : never>]:
      | Readonly<Parameters<UseCases[Name]>>
      | FaultScript;
  };
};

/** The lines of errors that every change of an order has, with input that is correct. */
const ofChange = <Input extends readonly unknown[]>(...input: Input) =>
  ({
    idempotency_key_reused: [OWNER, ORDER, ...input, { idempotencyKey: 'creation' }],
    order_not_found: [OWNER, UNKNOWN, ...input],
    precondition_failed: [OWNER, ORDER, ...input, { ifVersion: [2] }],
    unavailable: { 'orders.commit': 'unavailable' },
  }) as const;

const LINES: Lines = {
  placeOrder: {
    correct: [OWNER, { items: [RYE] }],
    validation_failed: [OWNER, { items: [] }],
    currency_mismatch: [OWNER, { items: [RYE, DEAR] }],
    amount_out_of_range: [OWNER, { items: [{ ...DEAR, quantity: 1_000_000 }] }],
    negative_total: [OWNER, { items: [RYE], adjustments: [GIFT] }],
    idempotency_key_reused: [OWNER, { items: [RYE] }, { idempotencyKey: 'creation' }],
    reference_taken: [OWNER, { items: [RYE], reference: 'PO-1' }],
    customer_erased: [OWNER, { items: [RYE], customer_id: ERASED }],
    unavailable: { 'orders.commit': 'unavailable' },
  },
  placeOrders: {
    correct: [OWNER, []],
  },
  importOrder: {
    correct: [OWNER, { id: UNKNOWN, items: [RYE] }],
    validation_failed: [OWNER, { items: [RYE] }],
    currency_mismatch: [OWNER, { id: UNKNOWN, items: [RYE, DEAR] }],
    amount_out_of_range: [OWNER, { id: UNKNOWN, items: [{ ...DEAR, quantity: 1_000_000 }] }],
    negative_total: [OWNER, { id: UNKNOWN, items: [RYE], adjustments: [GIFT] }],
    adjustment_sign: [OWNER, { id: UNKNOWN, items: [RYE], adjustments: [CREDIT] }],
    id_taken: [OWNER, { id: ORDER, items: [RYE] }],
    reference_taken: [OWNER, { items: [RYE], reference: 'PO-1' }],
    customer_erased: [OWNER, { id: UNKNOWN, items: [RYE], customer_id: ERASED, note: 'Ada' }],
    internal_error: { 'orders.commit': { error: { type: 'stale' } } },
    unavailable: { 'orders.commit': 'unavailable' },
  },
  importOrders: {
    correct: [OWNER, []],
  },
  getOrder: {
    correct: [OWNER, ORDER],
    order_not_found: [OWNER, UNKNOWN],
    unavailable: { 'orders.load': 'unavailable' },
  },
  listOrders: {
    correct: [OWNER],
    validation_failed: [OWNER, { limit: 0 }],
    unavailable: { 'orders.list': 'unavailable' },
  },
  searchOrders: {
    correct: [OWNER, { buyer_email: 'ada@example.com' }],
    validation_failed: [OWNER, { buyer_email: '' }],
    unavailable: { 'orders.list': 'unavailable' },
  },
  listOrderItems: {
    correct: [OWNER, ORDER],
    validation_failed: [OWNER, ORDER, { limit: 0 }],
    order_not_found: [OWNER, UNKNOWN],
    unavailable: { 'orders.load': 'unavailable' },
  },
  listOrderVersions: {
    correct: [OWNER, ORDER],
    validation_failed: [OWNER, ORDER, { limit: 0 }],
    order_not_found: [OWNER, UNKNOWN],
    unavailable: { 'orders.listVersions': 'unavailable' },
  },
  getOrderVersion: {
    correct: [OWNER, ORDER, 1],
    version_not_found: [OWNER, ORDER, 2],
    unavailable: { 'orders.findVersion': 'unavailable' },
  },
  changeOrder: {
    correct: [OWNER, ORDER, { note: 'Fragile' }],
    validation_failed: [OWNER, ORDER, { customer_id: UNKNOWN }],
    idempotency_key_reused: [OWNER, ORDER, {}, { idempotencyKey: 'creation' }],
    order_not_found: [OWNER, UNKNOWN, {}],
    precondition_failed: [OWNER, ORDER, {}, { ifVersion: [2] }],
    order_already_cancelled: [OWNER, CANCELLED, { status: 'cancelled' }],
    invalid_status_transition: [OWNER, ORDER, { status: 'delivered' }],
    order_not_modifiable: [OWNER, CANCELLED, { reference: null }],
    reference_taken: [OWNER, ORDER, { reference: 'PO-1' }],
    customer_erased: [OWNER, ORDER, { customer_id: ERASED }],
    unavailable: { 'orders.commit': 'unavailable' },
  },
  cancelOrder: {
    correct: [OWNER, ORDER],
    ...ofChange({}),
    validation_failed: [OWNER, ORDER, { reason: 'x'.repeat(3000) }],
    order_already_cancelled: [OWNER, CANCELLED],
    order_not_modifiable: [OWNER, CANCELLED, { items: [PART] }],
    quantity_not_available: [OWNER, ORDER, { items: [LOT] }],
    nothing_would_remain: [OWNER, FULL, { items: [PART] }],
    too_many_adjustments: [OWNER, FULL, { items: [PART], adjustments: [POST] }],
    adjustment_sign: [OWNER, ORDER, { items: [PART], adjustments: [CREDIT] }],
    currency_mismatch: [OWNER, ORDER, { items: [PART], adjustments: [ABROAD] }],
    negative_total: [OWNER, ORDER, { items: [PART], adjustments: [GIFT] }],
    amount_out_of_range: [OWNER, HUGE, { items: [PART], adjustments: [FEE, FEE] }],
  },
  adjustOrder: {
    correct: [OWNER, ORDER, { adjustments: [POST] }],
    ...ofChange({ adjustments: [POST] }),
    validation_failed: [OWNER, ORDER, { adjustments: [] }],
    too_many_adjustments: [OWNER, FULL, { adjustments: [POST] }],
    adjustment_sign: [OWNER, ORDER, { adjustments: [CREDIT] }],
    currency_mismatch: [OWNER, ORDER, { adjustments: [ABROAD] }],
    negative_total: [OWNER, ORDER, { adjustments: [GIFT] }],
    amount_out_of_range: [OWNER, HUGE, { adjustments: [FEE, FEE] }],
  },
  addItems: {
    correct: [OWNER, ORDER, { items: [RYE] }],
    ...ofChange({ items: [RYE] }),
    validation_failed: [OWNER, ORDER, { items: [] }],
    order_not_modifiable: [OWNER, CANCELLED, { items: [RYE] }],
    too_many_items: [OWNER, ORDER, { items: Array(100).fill(RYE) }],
    too_many_adjustments: [OWNER, FULL, { items: [RYE], adjustments: [POST] }],
    adjustment_sign: [OWNER, ORDER, { items: [RYE], adjustments: [CREDIT] }],
    currency_mismatch: [OWNER, ORDER, { items: [DEAR] }],
    negative_total: [OWNER, ORDER, { items: [RYE], adjustments: [GIFT] }],
    amount_out_of_range: [OWNER, HUGE, { items: [RYE], adjustments: [FEE, FEE] }],
  },
  correctOrder: {
    correct: [OWNER, ORDER, { status: 'delivered' }],
    ...ofChange({ status: 'delivered' }),
    validation_failed: [OWNER, ORDER, { status: 'delivered', reason: 'x'.repeat(501) }],
  },
  fulfillItems: {
    correct: [OWNER, ORDER],
    ...ofChange({}),
    validation_failed: [OWNER, ORDER, { items: [{ item_id: UNKNOWN, quantity: 1 }] }],
    order_not_modifiable: [OWNER, CANCELLED],
    too_many_fulfillments: [OWNER, FULL],
    quantity_not_available: [OWNER, ORDER, { items: [LOT] }],
    too_many_adjustments: [OWNER, FULL, { adjustments: [POST] }],
    adjustment_sign: [OWNER, ORDER, { adjustments: [CREDIT] }],
    currency_mismatch: [OWNER, ORDER, { adjustments: [ABROAD] }],
    negative_total: [OWNER, ORDER, { adjustments: [GIFT] }],
    amount_out_of_range: [OWNER, HUGE, { adjustments: [FEE, FEE] }],
  },
  cancelFulfillment: {
    correct: [OWNER, ORDER, SENT],
    ...ofChange(SENT),
    fulfillment_not_found: [OWNER, ORDER, UNKNOWN],
    fulfillment_already_cancelled: [OWNER, ORDER, MISTAKEN],
    quantity_not_available: [OWNER, CANCELLED, CAME_BACK],
  },
  returnItems: {
    correct: [OWNER, ORDER, { items: [PART] }],
    ...ofChange({ items: [PART] }),
    validation_failed: [OWNER, ORDER, { items: [] }],
    quantity_not_available: [OWNER, CANCELLED, { items: [PART] }],
    too_many_adjustments: [OWNER, FULL, { items: [PART], adjustments: [POST] }],
    adjustment_sign: [OWNER, ORDER, { items: [PART], adjustments: [CREDIT] }],
    currency_mismatch: [OWNER, ORDER, { items: [PART], adjustments: [ABROAD] }],
    negative_total: [OWNER, ORDER, { items: [PART], adjustments: [GIFT] }],
    amount_out_of_range: [OWNER, HUGE, { items: [PART], adjustments: [FEE, FEE] }],
  },
  deleteOrder: {
    correct: [OWNER, ORDER],
    ...ofChange(),
  },
  createCustomer: {
    correct: [OWNER, { email: 'new@example.com' }],
    validation_failed: [OWNER, { email: '' }],
    idempotency_key_reused: [OWNER, { email: 'new@example.com' }, { idempotencyKey: 'creation' }],
    customer_not_found: { 'customers.commit': { error: { type: 'key_used', recorded: GONE } } },
    email_taken: [OWNER, { email: 'ada@example.com' }],
    unavailable: { 'customers.commit': 'unavailable' },
  },
  importCustomer: {
    correct: [OWNER, { email: 'new@example.com' }],
    validation_failed: [OWNER, { email: '' }],
    id_taken: [OWNER, { id: CUSTOMER, email: 'new@example.com' }],
    email_taken: [OWNER, { email: 'ada@example.com', name: 'Ada' }],
    internal_error: { 'customers.commit': { error: { type: 'stale' } } },
    unavailable: { 'customers.commit': 'unavailable' },
  },
  importCustomers: {
    correct: [OWNER, []],
  },
  getCustomer: {
    correct: [OWNER, CUSTOMER],
    customer_not_found: [OWNER, UNKNOWN],
    unavailable: { 'customers.load': 'unavailable' },
  },
  listCustomers: {
    correct: [OWNER],
    validation_failed: [OWNER, { limit: 0 }],
    unavailable: { 'customers.list': 'unavailable' },
  },
  searchCustomers: {
    correct: [OWNER, { email: 'ADA@example.com' }],
    validation_failed: [OWNER, { email: '' }],
    unavailable: { 'customers.findByEmail': 'unavailable' },
  },
  changeCustomer: {
    correct: [OWNER, CUSTOMER, { name: 'Ada' }],
    validation_failed: [OWNER, CUSTOMER, { email: '' }],
    idempotency_key_reused: [OWNER, CUSTOMER, {}, { idempotencyKey: 'creation' }],
    customer_not_found: [OWNER, UNKNOWN, {}],
    precondition_failed: [OWNER, CUSTOMER, {}, { ifVersion: [2] }],
    email_taken: [OWNER, OTHER, { email: 'ada@example.com' }],
    customer_erased: [OWNER, ERASED, { name: 'Ada' }],
    unavailable: { 'customers.commit': 'unavailable' },
  },
  deleteCustomer: {
    correct: [OWNER, OTHER],
    idempotency_key_reused: [OWNER, OTHER, { idempotencyKey: 'creation' }],
    customer_not_found: [OWNER, UNKNOWN],
    precondition_failed: [OWNER, OTHER, { ifVersion: [2] }],
    customer_has_orders: [OWNER, CUSTOMER],
    customer_erased: [OWNER, ERASED],
    unavailable: { 'customers.commit': 'unavailable' },
  },
  eraseCustomer: {
    correct: [OWNER, CUSTOMER],
    idempotency_key_reused: [OWNER, OTHER, { idempotencyKey: 'creation' }],
    customer_not_found: [OWNER, UNKNOWN],
    precondition_failed: [OWNER, OTHER, { ifVersion: [2] }],
    unavailable: { 'customers.commit': 'unavailable' },
  },
  readCustomerData: {
    correct: [OWNER, CUSTOMER],
    validation_failed: [OWNER, CUSTOMER, { limit: 0 }],
    customer_not_found: [OWNER, UNKNOWN],
    unavailable: { 'orders.listVersions': 'unavailable' },
  },
  erasePerson: {
    correct: [OWNER, { email: 'ada@example.com' }],
    validation_failed: [OWNER, { email: '' }],
    idempotency_key_reused: [OWNER, { email: 'ada@example.com' }, { idempotencyKey: 'creation' }],
    unavailable: { 'erasures.commit': 'unavailable' },
  },
  getErasure: {
    correct: [OWNER, GUESTS],
    erasure_not_found: [OWNER, UNKNOWN],
    unavailable: { 'erasures.load': 'unavailable' },
  },
  readPersonData: {
    correct: [OWNER, { email: 'ada@example.com' }],
    validation_failed: [OWNER, { email: '' }],
    unavailable: { 'orders.findOrdersOf': 'unavailable' },
  },
  replayErasure: {
    correct: [OWNER, ORDER, RECENT],
    unavailable: { 'erasures.keepOrder': 'unavailable' },
  },
  continueErasures: {
    correct: [OWNER],
    unavailable: { 'customers.findErasing': 'unavailable' },
  },
  createEndpoint: {
    correct: [OWNER, { url: 'https://b.example' }],
    validation_failed: [OWNER, { url: '' }],
    idempotency_key_reused: [OWNER, { url: 'https://b.example' }, { idempotencyKey: 'creation' }],
    secret_superseded: [OWNER, { url: 'https://a.example' }, { idempotencyKey: 'creation' }],
    too_many_endpoints: { 'webhookEndpoints.commit': { error: { type: 'refused', reason: NO_ROOM } } },
    webhook_endpoint_not_found: { 'webhookEndpoints.commit': { error: { type: 'key_used', recorded: GONE } } },
    unavailable: { 'webhookEndpoints.commit': 'unavailable' },
  },
  getEndpoint: {
    correct: [OWNER, ENDPOINT],
    webhook_endpoint_not_found: [OWNER, UNKNOWN],
    unavailable: { 'webhookEndpoints.load': 'unavailable' },
  },
  listEndpoints: {
    correct: [OWNER],
    validation_failed: [OWNER, { limit: 0 }],
    unavailable: { 'webhookEndpoints.list': 'unavailable' },
  },
  changeEndpoint: {
    correct: [OWNER, ENDPOINT, { status: 'disabled' }],
    validation_failed: [OWNER, ENDPOINT, { url: '' }],
    idempotency_key_reused: [OWNER, ENDPOINT, {}, { idempotencyKey: 'creation' }],
    webhook_endpoint_not_found: [OWNER, UNKNOWN, {}],
    precondition_failed: [OWNER, ENDPOINT, {}, { ifVersion: [1] }],
    unavailable: { 'webhookEndpoints.commit': 'unavailable' },
  },
  deleteEndpoint: {
    correct: [OWNER, ENDPOINT],
    idempotency_key_reused: [OWNER, ENDPOINT, { idempotencyKey: 'creation' }],
    webhook_endpoint_not_found: [OWNER, UNKNOWN],
    precondition_failed: [OWNER, ENDPOINT, { ifVersion: [1] }],
    unavailable: { 'webhookEndpoints.commit': 'unavailable' },
  },
  rotateSecret: {
    correct: [OWNER, ENDPOINT],
    validation_failed: [OWNER, ENDPOINT, { overlap_seconds: -1 }],
    idempotency_key_reused: [OWNER, ENDPOINT, {}, { idempotencyKey: 'creation' }],
    secret_superseded: [OWNER, ENDPOINT, {}, { idempotencyKey: 'rotation' }],
    webhook_endpoint_not_found: [OWNER, UNKNOWN],
    precondition_failed: [OWNER, ENDPOINT, {}, { ifVersion: [1] }],
    unavailable: { 'webhookEndpoints.commit': 'unavailable' },
  },
  testEndpoint: {
    correct: [OWNER, ENDPOINT],
    webhook_endpoint_not_found: [OWNER, UNKNOWN],
    unavailable: { 'webhookEndpoints.load': 'unavailable' },
  },
  listDeliveries: {
    correct: [OWNER, ENDPOINT],
    validation_failed: [OWNER, ENDPOINT, { limit: 0 }],
    webhook_endpoint_not_found: [OWNER, UNKNOWN],
    unavailable: { 'webhookDeliveries.list': 'unavailable' },
  },
  redeliver: {
    correct: [OWNER, ENDPOINT, { event_id: EVENT }],
    validation_failed: [OWNER, ENDPOINT, { event_id: '' }],
    delivery_not_found: [OWNER, ENDPOINT, { event_id: UNKNOWN }],
    webhook_endpoint_not_found: [OWNER, UNKNOWN, { event_id: EVENT }],
    unavailable: { 'webhookDeliveries.redeliver': 'unavailable' },
  },
  readEvents: {
    correct: [OWNER],
    validation_failed: [OWNER, { limit: 0 }],
    feed_reset: { 'feed.read': { error: { type: 'feed_reset' } } },
    events_expired: { 'feed.read': { error: { type: 'events_expired', oldest: FEED_START } } },
    unavailable: { 'feed.read': 'unavailable' },
  },
  followEvents: {
    correct: [OWNER],
    feed_reset: { 'feed.read': { error: { type: 'feed_reset' } } },
    events_expired: { 'feed.read': { error: { type: 'events_expired', oldest: FEED_START } } },
  },
};

/** Returns all use cases on a store with some resources, whose ports have these faults. */
async function aSystem(faults: FaultScript): Promise<UseCases> {
  const [clock, ids] = [fixedClock(), sequentialIds()];
  const store = inMemoryStore({ clock });
  const attempt = { status: 204, error: null, duration_ms: 1, retryAfterMs: null };
  const secrets = {
    newestKey: () => 'key',
    derive: (_: string, id: string, { serial }: { serial: number }) => id + serial,
  };
  const targets = { parse: (url: string) => (url === '' ? err('is empty') : ok(url)) };
  const bind = (ports: typeof store & { readonly sender: WebhookSender }) => {
    const { webhookEndpoints: endpoints, webhookDeliveries: deliveries, feed } = ports;
    return {
      ...createDomain({ ...ports, clock, ids }),
      ...createWebhooks({ ...ports, endpoints, deliveries, secrets, targets, clock, ids }),
      readEvents: (owner: Owner, query?: FeedQueryInput) => readEvents(feed, owner, query),
      followEvents: (owner: Owner) =>
        ResultAsync.fromPromise(followEvents(feed, owner).next(), (error) => {
          if (error instanceof FeedLost) return error.reason;
          throw error;
        }),
    };
  };
  const ports = { ...store, sender: { send: () => Promise.resolve(attempt) } };
  const useCases = bind(ports);
  await succeeds(useCases.createEndpoint(OWNER, { url: 'https://a.example' }, { idempotencyKey: 'creation' }));
  await succeeds(useCases.rotateSecret(OWNER, ENDPOINT, {}, { idempotencyKey: 'rotation' }));
  await succeeds(useCases.rotateSecret(OWNER, ENDPOINT));
  const erased_at = '2026-01-02T03:04:05.678Z';
  for (const after of [
    aCustomer({ id: CUSTOMER, email: 'ada@example.com' }),
    aCustomer({ id: OTHER }),
    aCustomer({ id: ERASED, email: null, erased_at, erasure: { status: 'pending' } }),
  ]) {
    const event = anEventOfCustomer(OWNER, after);
    await succeeds(store.customers.commit(OWNER, { kind: 'create', after, event, key: undefined }));
  }
  const times = { created_at: erased_at, updated_at: erased_at };
  const guests = {
    id: GUESTS,
    status: 'pending',
    email_key: 'bob@example.com',
    customer_id: null,
    version: 1,
    ...times,
  } as const;
  const requested = { ...anEventOfCustomer(OWNER, aCustomer({ id: GUESTS })), type: 'erasure.requested' } as const;
  const erasure = { kind: 'create', after: guests, event: requested, key: undefined } as const;
  await succeeds(store.customers.erasures.commit(OWNER, erasure));
  const item = anItem({ id: ITEM, quantity: 2, fulfilled_quantity: 1 });
  const mistake = aFulfillment([], { id: MISTAKEN, items: [PART], cancelled_at: '2026-01-02T03:04:05.678Z' });
  const fulfillments = [aFulfillment([], { id: SENT, items: [PART] }), mistake];
  const order = anOrder({ id: ORDER, customer_id: CUSTOMER, items: [item], fulfillments });
  const others: readonly Order[] = [
    anOrder({
      id: CANCELLED,
      status: 'cancelled',
      reference: 'PO-1',
      items: [anItem({ id: ITEM, quantity: 1, fulfilled_quantity: 1, returned_quantity: 1 })],
      fulfillments: [aFulfillment([], { id: CAME_BACK, items: [PART] })],
    }),
    anOrder({
      id: FULL,
      items: [anItem({ id: ITEM, quantity: 1 })],
      adjustments: Array.from({ length: ADJUSTMENTS_MAX }, () => anAdjustment()),
      fulfillments: Array.from({ length: FULFILLMENTS_MAX }, () => mistake),
    }),
    anOrder({
      id: HUGE,
      items: [
        anItem({ id: ITEM, quantity: 9007, fulfilled_quantity: 1, unit_price: { amount: 1e12, currency: 'EUR' } }),
      ],
    }),
  ];
  for (const after of [order, ...others]) {
    const event = anEventOf(OWNER, after, { id: after === order ? EVENT : after.id });
    await succeeds(store.orders.commit(OWNER, { kind: 'create', after, event, key: undefined }));
  }
  await succeeds(store.webhookQueue.fanOut(OWNER));
  return bind(faulty(ports, faults));
}

type Line = readonly unknown[] | FaultScript;
type Call = (...input: readonly unknown[]) => ResultAsync<unknown, { readonly type: string }>;

/** The use cases and lines themselves, by names that are known only when the program runs. */
function byName(useCases: UseCases): Readonly<Record<string, Call>>;
function byName(useCases: unknown): unknown {
  return useCases;
}

function isInput(line: Line): line is readonly unknown[] {
  return Array.isArray(line);
}

const USE_CASES: readonly [string, { readonly correct: readonly unknown[]; readonly [type: string]: Line }][] =
  Object.entries(LINES);

describe.each(USE_CASES)('%s', (name, lines) => {
  it.each(Object.entries(lines))('%s', async (type, line) => {
    const [input, faults] = isInput(line) ? [line, {}] : [lines.correct, line];
    const outcome = await byName(await aSystem(faults))[name]?.(...input);
    expect(
      outcome?.match(
        () => 'correct',
        (error) => error.type,
      ),
    ).toBe(type);
  });
});

it.each(ATTEMPT_ERRORS)('an attempt can end with %s', async (error) => {
  const attempt = { status: null, error, duration_ms: 1, retryAfterMs: null };
  const { testEndpoint } = await aSystem({ 'sender.send': { returns: attempt } });
  expect(await succeeds(testEndpoint(OWNER, ENDPOINT))).toEqual(attempt);
});

/** Returns the page of errors. `vitest run --project domain every-error -u` updates it. */
function describeErrors(source: string): string {
  const constants = [...source.matchAll(/^const [A-Z]+ = \{.*$/gm)].join('\n');
  const rows = new Map<string, string>();
  for (const [, name = '', lines = ''] of source.matchAll(/^ {2}(\w+): \{\n((?: {4}.*,\n)+) {2}\},$/gm))
    for (const [, type = '', text = ''] of lines.matchAll(/^ {4}(\w+): (.*),$/gm)) {
      const line = text.startsWith('[') ? `${name}(${text.slice(1, -1)})` : `faulty(store, ${text})`;
      const first = rows.get(type) ?? line;
      rows.set(type, text.startsWith('[') && first.startsWith('faulty') ? line : first);
    }
  rows.delete('correct');
  const namesOf = (isAmong: (lines: object) => boolean) =>
    USE_CASES.flatMap(([name, lines]) => (isAmong(lines) ? name : []));
  const sections = [...rows].map(([type, line]) => {
    const [names, others] = [namesOf((lines) => type in lines), namesOf((lines) => !(type in lines))];
    const list = (listed: readonly string[]) => listed.map((name) => `\`${name}\``).join(', ');
    const some = others.length < names.length ? `all but ${list(others)}` : list(names);
    return `| \`${type}\` | \`${line}\` | ${others.length === 0 ? 'all' : some} |`;
  });
  return `# The errors of the domain, and how a test makes them

Generated from \`packages/domain/test/testing/faults/every-error.test.ts\`, which runs every line; a test fails when this page is
out of date.

One line of a test makes an error of a use case: an input, or a store with faults of
[\`faulty\`](../../packages/domain/src/testing.ts) beside a correct input. The table has the line of one use case for each error.
The file has the lines of all.

| Error | A line that makes it | Use cases that return it |
| --- | --- | --- |
${sections.join('\n')}

\`followEvents\` throws its errors as the \`reason\` of a \`FeedLost\`. \`testEndpoint\` returns the errors of an attempt in its
result: each of ${ATTEMPT_ERRORS.map((error) => `\`${error}\``).join(', ')} is made by
\`faulty({ sender }, { 'sender.send': { returns: { status: null, error, duration_ms: 1, retryAfterMs: null } } })\`.

The lines are about a store with a pending \`ORDER\` of \`CUSTOMER\`, and a \`CANCELLED\` one with the reference \`PO-1\`. The email
of \`CUSTOMER\` is \`ada@example.com\`, and the erasure of \`ERASED\` is pending. The key \`creation\` has created \`ENDPOINT\`, which has had two rotations since, the first
with the key \`rotation\`. One of two pieces of the \`ITEM\` of \`ORDER\` was \`SENT\`, after one that was \`MISTAKEN\`, and that of
\`CANCELLED\` \`CAME_BACK\`. \`FULL\` has as many adjustments and fulfillments as possible, and \`HUGE\` almost the highest total.
Nothing has the id \`UNKNOWN\`.

\`\`\`ts
${constants}
\`\`\`
`;
}

it('docs/reference/errors-in-tests.md has a line for each error', async () => {
  await expect(describeErrors(readFileSync(import.meta.filename, 'utf8'))).toMatchFileSnapshot(DOCUMENT);
});
