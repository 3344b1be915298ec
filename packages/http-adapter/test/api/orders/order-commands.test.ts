import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { textAt } from '../../fixtures/json.ts';
import { aNewItem, NO_ORDER } from '../../fixtures/new-orders.ts';

const EUR = (amount: number) => ({ amount, currency: 'EUR' });
const REFUND = { type: 'refund', name: 'Goodwill', amount: EUR(-300) };
const TRACKING = { carrier: 'Post', number: 'R1', url: null };

/** Places an order of 3 x 10.00 with delivery of 5.00 and an included tax, and fulfils one of its items. */
async function anOrder() {
  const api = await anApi();
  const { url, response } = await api.acme.place({
    items: [aNewItem({ quantity: 3, unit_price: EUR(1000) })],
    adjustments: [
      { type: 'shipping', name: 'Delivery', amount: EUR(500) },
      { type: 'tax', name: 'VAT', amount: EUR(559), included: true, item: 0 },
    ],
  });
  const item_id = textAt(response.body, 'items', 0, 'id');
  const one = { items: [{ item_id, quantity: 1 }] };
  const before = (await api.acme.post(`${url}/fulfillments`, { ...one, tracking: { carrier: 'Post', number: 'R1' } }))
    .body;
  return { ...api, url, before, one, fulfillment: textAt(before, 'fulfillments', 0, 'id') };
}

type Given = Awaited<ReturnType<typeof anOrder>>;

interface Command {
  readonly path: (given: Given) => string;
  readonly body?: (given: Given) => unknown;
  readonly event: string;
  /** Members of the order afterwards, which differ. */
  readonly after: Readonly<Record<string, unknown>>;
  readonly changed: readonly string[];
  readonly reason?: string;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'an adjustment': {
    path: () => '/adjustments',
    body: () => ({ adjustments: [REFUND] }),
    event: 'order.adjusted',
    after: {
      subtotal: EUR(3000),
      total: EUR(3200),
      adjustments: [{}, {}, { ...REFUND, item_id: null, included: false }],
    },
    changed: ['adjustments', 'total'],
  },
  'an addition of items': {
    path: () => '/items',
    body: () => ({
      items: [aNewItem({ quantity: 2, unit_price: EUR(250) })],
      adjustments: [{ type: 'discount', name: 'Two', amount: EUR(-50), item: 0 }],
    }),
    event: 'order.items_added',
    after: { subtotal: EUR(3500), total: EUR(3950), items: [{ quantity: 3 }, { quantity: 2, total: EUR(500) }] },
    changed: ['items', 'adjustments', 'subtotal', 'total'],
  },
  'a fulfillment of the rest': {
    path: () => '/fulfillments',
    event: 'order.items_fulfilled',
    after: {
      total: EUR(3500),
      items: [{ fulfilled_quantity: 3 }],
      fulfillments: [{}, { items: [{ quantity: 2 }], tracking: null }],
    },
    changed: ['items', 'fulfillments'],
  },
  'a cancellation of a fulfillment': {
    path: ({ fulfillment }) => `/fulfillments/${fulfillment.toUpperCase()}/cancel`,
    event: 'order.fulfillment_cancelled',
    after: {
      items: [{ fulfilled_quantity: 0 }],
      fulfillments: [{ tracking: TRACKING, cancelled_at: '2026-01-02T03:04:05.678Z' }],
    },
    changed: ['items', 'fulfillments'],
  },
  'a return': {
    path: () => '/returns',
    body: ({ one }) => ({ ...one, reason: 'Broken', adjustments: [REFUND] }),
    event: 'order.items_returned',
    after: { subtotal: EUR(3000), total: EUR(3200), items: [{ returned_quantity: 1 }] },
    changed: ['items', 'adjustments', 'total'],
    reason: 'Broken',
  },
  'a cancellation of items': {
    path: () => '/cancel',
    body: ({ one }) => ({ ...one, reason: 'Sold out' }),
    event: 'order.items_cancelled',
    after: {
      subtotal: EUR(2000),
      total: EUR(2500),
      items: [{ cancelled_quantity: 1, total: EUR(2000) }],
      cancel_reason: null,
    },
    changed: ['items', 'subtotal', 'total'],
    reason: 'Sold out',
  },
};

describe.each(Object.entries(COMMANDS))('%s', (_, { path, body, event, after, changed, reason = null }) => {
  it('returns the order with its entity tag, also to a retry, and is a version and an event', async () => {
    const given = await anOrder();
    const { acme, url, before } = given;
    const send = (headers = {}) => acme.post(url + path(given), body?.(given), headers);
    const key = { 'idempotency-key': 'k' };
    const first = await send({ ...key, 'if-match': '"2-1"' });
    expect(first).toMatchObject({ status: 200, headers: { etag: '"3-1"' }, body: after });
    expect(first.body).toMatchObject({ status: 'pending', version: 3 });
    expect((await acme.get(url)).text).toBe(first.text);
    expect(await send(key)).toMatchObject({ text: first.text, headers: { 'idempotent-replayed': 'true' } });
    expect(await send({ 'if-match': '"2-1"' })).toMatchObject({ status: 412, body: { current_version: 3 } });
    const version = { type: event, changed, reason, order: first.body };
    expect((await acme.get(`${url}/versions/3`)).body).toMatchObject(version);
    expect((await acme.get(`${url}/versions/2`)).body).toMatchObject({ reason: null, order: before });
    expect((await acme.get(`/v1/events?types=${event}&include=resource`)).body).toMatchObject({
      data: [
        ...(event === 'order.items_fulfilled' ? [{}] : []),
        { type: event, resource: { version: 3, data: first.body } },
      ],
    });
  });
});

describe('an optional body', () => {
  it.each(['fulfillments', 'fulfillments/{fulfillment}/cancel', 'cancel'])(
    'can be absent, empty or {}: %s',
    async (path) => {
      for (const payload of [undefined, '', '{}']) {
        const { acme, url, fulfillment } = await anOrder();
        const headers = payload === undefined ? {} : { 'content-type': 'application/json' };
        const target = `${url}/${path.replace('{fulfillment}', fulfillment)}`;
        const sent = { method: 'POST', url: target, headers, ...(payload !== undefined && { payload }) } as const;
        expect([payload, (await acme.send(sent)).status]).toEqual([payload, 200]);
      }
    },
  );
});

describe('the id of a fulfillment', () => {
  it('is rejected with that of the order if both are malformed', async () => {
    const { acme, url } = await anOrder();
    const errors = [{ field: 'id' }, { field: 'fulfillment_id', code: 'invalid_format' }];
    const response = await acme.post('/v1/orders/1/fulfillments/2/cancel');
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_parameter', errors } });
    const none = await acme.post(`${url}/fulfillments/${NO_ORDER}/cancel`);
    expect(none).toMatchObject({ status: 404, body: { code: 'fulfillment_not_found' } });
  });
});
