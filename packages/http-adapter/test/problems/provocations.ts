import { ADJUSTMENTS_MAX, FULFILLMENTS_MAX, ITEMS_MAX } from '@orders/domain';
import { WEBHOOK_ENDPOINTS_MAX } from '@orders/domain/webhooks';
import { authenticateBy, bearerTokens, type ErrorCode } from '@orders/http-adapter';
import { errAsync, ResultAsync } from 'neverthrow';
import type { ApiResponse } from '../fixtures/a-client.ts';
import { createdEndpoint, ENDPOINT_URL } from '../fixtures/created-endpoint.ts';
import { aDomainOver, aThrowingStore } from '../fixtures/a-domain.ts';
import type { Api, Wanted } from '../fixtures/an-api.ts';
import { AN_ABSENT_ISSUER } from '../fixtures/every-way.ts';
import { at, textAt } from '../fixtures/json.ts';
import { aNewItem, aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

/** A request that causes a problem. */
export interface Provocation {
  readonly provoke: (api: Api) => Promise<ApiResponse>;
  readonly wanted?: Wanted;
}

const get =
  (url: string, headers = {}) =>
  ({ acme }: Api) =>
    acme.get(url, headers);

const post =
  (order: Readonly<Record<string, unknown>>, headers = {}) =>
  ({ acme }: Api) =>
    acme.post('/v1/orders', aNewOrder(order), headers);

/** Changes a cancelled order. */
const patchCancelled =
  (patch: unknown) =>
  async ({ acme }: Api) => {
    const { url } = await acme.place();
    await acme.post(`${url}/cancel`);
    return acme.patch(url, patch);
  };

/** Places an order, sends it to some of its paths, and returns the last response. */
const commands =
  (order: Readonly<Record<string, unknown>>, ...steps: readonly (readonly [path: string, body?: unknown])[]) =>
  async ({ acme }: Api) => {
    const { url, response: placed } = await acme.place(order);
    let response = placed;
    for (const [path, body] of steps) {
      const fulfillment = at(response.body, 'fulfillments', 0, 'id');
      const item_id = textAt(placed.body, 'items', 0, 'id');
      const whole = body === 'two items' ? { items: [{ item_id, quantity: 2 }] } : body;
      response = await acme.post(`${url}/${path.replace('{fulfillment}', String(fulfillment))}`, whole);
    }
    return response;
  };

const anAdjustment = (type: string, amount: number) => ({ type, name: 'x', amount: { amount, currency: 'EUR' } });
const adjusting = (type: string, amount: number) =>
  ['adjustments', { adjustments: [anAdjustment(type, amount)] }] as const;

/** Returns the cursor of the end of a client's events. */
async function endOf(client: Api['acme']): Promise<string> {
  return textAt((await client.get('/v1/events?start=latest')).body, 'page', 'next_cursor');
}

const half = { requestTimeout: 50, http: { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 } };
const priced = (amount: number, currency: string, quantity = 1) =>
  aNewItem({ quantity, unit_price: { amount, currency } });

/** The problem of an element of a batch alone. */
export type OfBatch = 'id_taken';

/** A request that causes each other problem of the catalog. The type makes a missing code a compile error. */
export const PROVOCATIONS: Readonly<Record<Exclude<ErrorCode, OfBatch>, Provocation>> = {
  malformed_request: { provoke: (api) => sendBytes(api, 'nonsense\r\n\r\n') },
  malformed_json: {
    provoke: ({ acme }) =>
      acme.send({ method: 'POST', url: '/v1/orders', headers: { 'content-type': 'application/json' }, payload: '{' }),
  },
  invalid_parameter: { provoke: get('/v1/orders/1') },
  unknown_parameter: { provoke: get('/v1/orders?page=1') },
  conflicting_parameters: {
    provoke: async ({ acme }) => {
      await Promise.all([acme.place(), acme.place()]);
      const { headers } = await acme.get('/v1/orders?limit=1');
      return acme.get(`${/<(.*)>/.exec(headers['link'] ?? '')?.[1]}&offset=0`);
    },
  },
  invalid_cursor: { provoke: get('/v1/orders?after=x') },
  invalid_header: { provoke: get(`/v1/orders/${NO_ORDER}`, { 'if-none-match': '1' }) },
  invalid_idempotency_key: { provoke: post({}, { 'idempotency-key': 'a b' }) },
  unauthenticated: { provoke: (api) => api.client().get('/v1/orders') },
  invalid_token: {
    wanted: { authentication: authenticateBy(bearerTokens(AN_ABSENT_ISSUER)) },
    provoke: ({ client }) => client().get('/v1/orders', { authorization: 'Bearer x' }),
  },
  insufficient_scope: { provoke: ({ client, keys }) => client(keys.issue({ scopes: [] })).get('/v1/orders') },
  owner_suspended: {
    wanted: { ownerSettings: new Map([['acme', { suspended_at: '2026-01-01T00:00:00.000Z' }]]) },
    provoke: ({ acme }) => acme.get('/v1/orders'),
  },
  origin_not_allowed: {
    wanted: {
      authentication: {
        authenticate: () => ({ owner: 'ada', scopes: ['orders:write'] }),
        securitySchemes: { Session: { type: 'apiKey', in: 'cookie', name: 'session' } },
      },
    },
    provoke: ({ client }) =>
      client().post('/v1/orders', aNewOrder(), { cookie: 'session=ada', origin: 'https://evil.example' }),
  },
  not_found: { provoke: get('/v1/nothing') },
  order_not_found: { provoke: get(`/v1/orders/${NO_ORDER}`) },
  version_not_found: { provoke: get(`/v1/orders/${NO_ORDER}/versions/1`) },
  customer_not_found: { provoke: get(`/v1/customers/${NO_ORDER}`) },
  erasure_not_found: { provoke: get(`/v1/erasures/${NO_ORDER}`) },
  webhook_endpoint_not_found: { provoke: get(`/v1/webhook_endpoints/${NO_ORDER}`) },
  fulfillment_not_found: { provoke: commands({}, [`fulfillments/${NO_ORDER}/cancel`]) },
  delivery_not_found: {
    provoke: async ({ acme }) => {
      const { url } = await createdEndpoint(acme);
      return acme.post(`${url}/deliveries`, { event_id: NO_ORDER });
    },
  },
  method_not_allowed: { provoke: ({ acme }) => acme.send({ method: 'PUT', url: '/v1/orders' }) },
  not_acceptable: { provoke: get('/v1/orders', { accept: 'text/csv' }) },
  request_timeout: {
    wanted: { server: half },
    provoke: (api) => sendBytes(api, head('GET /v1/orders HTTP/1.1').slice(0, -4)),
  },
  order_already_cancelled: { provoke: patchCancelled({ status: 'cancelled' }) },
  invalid_status_transition: {
    provoke: async ({ acme }) => acme.patch((await acme.place()).url, { status: 'shipped' }),
  },
  fulfillment_already_cancelled: {
    provoke: commands(
      {},
      ['fulfillments'],
      ['fulfillments/{fulfillment}/cancel'],
      ['fulfillments/{fulfillment}/cancel'],
    ),
  },
  quantity_not_available: { provoke: commands({}, ['fulfillments'], ['fulfillments']) },
  nothing_would_remain: { provoke: commands({}, ['cancel', 'two items']) },
  adjustment_sign: { provoke: commands({}, adjusting('shipping', -1)) },
  too_many_items: { provoke: commands({}, ['items', { items: Array(ITEMS_MAX).fill(priced(1, 'EUR')) }]) },
  too_many_adjustments: {
    provoke: commands({ adjustments: Array(ADJUSTMENTS_MAX).fill(anAdjustment('fee', 0)) }, adjusting('fee', 0)),
  },
  too_many_fulfillments: {
    provoke: async ({ acme }) => {
      const { url, response } = await acme.place({ items: [priced(1, 'EUR', FULFILLMENTS_MAX + 1)] });
      const items = [{ item_id: textAt(response.body, 'items', 0, 'id'), quantity: 1 }];
      for (let made = 0; made < FULFILLMENTS_MAX; made += 1) await acme.post(`${url}/fulfillments`, { items });
      return acme.post(`${url}/fulfillments`, { items });
    },
  },
  order_not_modifiable: { provoke: patchCancelled({ reference: 'A-1' }) },
  reference_taken: {
    provoke: async (api) => {
      await api.acme.place({ reference: 'A-1' });
      return post({ reference: 'A-1' })(api);
    },
  },
  email_taken: {
    provoke: async ({ acme }) => {
      await acme.post('/v1/customers', { email: 'ada@example.com' });
      return acme.post('/v1/customers', { email: 'Ada@Example.com' });
    },
  },
  customer_has_orders: {
    provoke: async ({ acme }) => {
      const customer_id = textAt((await acme.post('/v1/customers', { email: 'ada@example.com' })).body, 'id');
      await acme.place({ customer_id });
      return acme.delete(`/v1/customers/${customer_id}`);
    },
  },
  customer_erased: {
    provoke: async ({ acme }) => {
      const customer_id = textAt((await acme.post('/v1/customers', { email: 'ada@example.com' })).body, 'id');
      await acme.post(`/v1/customers/${customer_id}/erasures`, undefined);
      return acme.post('/v1/orders', aNewOrder({ customer_id }));
    },
  },
  too_many_endpoints: {
    provoke: async ({ acme }) => {
      for (let created = 0; created < WEBHOOK_ENDPOINTS_MAX; created += 1) await createdEndpoint(acme);
      return acme.post('/v1/webhook_endpoints', { url: ENDPOINT_URL });
    },
  },
  secret_superseded: {
    provoke: async ({ acme }) => {
      const key = { 'idempotency-key': 'one' };
      const { url } = await createdEndpoint(acme, {}, key);
      await acme.post(`${url}/secrets`);
      return acme.post('/v1/webhook_endpoints', { url: ENDPOINT_URL }, key);
    },
  },
  version_retired: {
    wanted: {
      deprecations: { list_orders: { since: '2024-01-01', sunset: '2025-01-01', link: 'https://example.com' } },
    },
    provoke: get('/v1/orders'),
  },
  feed_reset: {
    provoke: async ({ acme, client, keys }) => {
      const other = client(keys.issue({ owner: 'other' }));
      await other.place();
      return acme.get(`/v1/events?after=${await endOf(other)}`);
    },
  },
  events_expired: {
    provoke: async ({ acme, store, clock }) => {
      const start = await endOf(acme);
      await acme.place();
      await acme.get('/v1/events');
      clock.advance(1);
      store.purgeEvents(clock.now().toISOString());
      return acme.get(`/v1/events?after=${start}`);
    },
  },
  precondition_failed: {
    provoke: async ({ acme }) => acme.delete((await acme.place()).url, { 'if-match': '"2-1"' }),
  },
  payload_too_large: { wanted: { bodyLimitBytes: 1 }, provoke: post({}) },
  uri_too_long: { wanted: { urlLimitBytes: 5 }, provoke: get('/v1/orders') },
  unsupported_media_type: { provoke: post({}, { 'content-type': 'text/plain' }) },
  headers_too_large: {
    provoke: (api) => sendBytes(api, head('GET /v1/orders HTTP/1.1', { 'X-Filler': 'x'.repeat(20_000) })),
  },
  validation_failed: { provoke: post({ items: [] }) },
  currency_mismatch: { provoke: post({ items: [priced(1, 'EUR'), priced(1, 'USD')] }) },
  amount_out_of_range: { provoke: post({ items: [priced(1e12, 'EUR', 1e6)] }) },
  negative_total: { provoke: post({ adjustments: [anAdjustment('discount', -4000)] }) },
  idempotency_key_reused: {
    provoke: async (api) => {
      await api.acme.place({}, { 'idempotency-key': 'one' });
      return post({ note: 'another' }, { 'idempotency-key': 'one' })(api);
    },
  },
  rate_limited: {
    wanted: { rateLimits: { read: 1 } },
    provoke: async ({ acme }) => {
      await acme.get('/v1/orders');
      return acme.get('/v1/orders');
    },
  },
  too_many_waiters: {
    // The other requests wait until the server stops.
    provoke: ({ acme }) => Promise.race([1, 2, 3, 4, 5].map(() => acme.get('/v1/events?wait=20'))),
  },
  internal_error: {
    wanted: aThrowingStore(new Error('hidden cause')),
    provoke: get(`/v1/orders/${NO_ORDER}`),
  },
  unavailable: {
    wanted: aDomainOver({ load: () => errAsync({ type: 'unavailable', cause: new Error('hidden cause') }) }),
    provoke: get(`/v1/orders/${NO_ORDER}`),
  },
  timeout: {
    wanted: { ...aDomainOver({ load: () => new ResultAsync(new Promise(() => undefined)) }), timeLimitMs: 20 },
    provoke: get(`/v1/orders/${NO_ORDER}`),
  },
};
