import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client, Headers } from '../fixtures/a-client.ts';
import { anApi } from '../fixtures/an-api.ts';
import { createdEndpoint } from '../fixtures/created-endpoint.ts';
import { textAt } from '../fixtures/json.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';

const FULL = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key_${index}`, 'x']));

/** Creates an API with a customer whose metadata is full, an order of that customer, another customer and an endpoint. */
async function aShop() {
  const { acme } = await anApi();
  const taken = await acme.post('/v1/customers', { email: 'taken@example.com' }, { 'idempotency-key': 'used' });
  const created = await acme.post('/v1/customers', { email: 'ada@example.com', metadata: FULL });
  const id = textAt(created.body, 'id');
  await acme.place({ reference: 'A-2' });
  const order = await acme.place({ customer_id: id, reference: 'A-1', metadata: FULL });
  const { url: endpoint } = await createdEndpoint(acme);
  return { acme, url: `/v1/customers/${id}`, id, order, taken, endpoint };
}

type Body = Readonly<Record<string, unknown>>;
type Shop = Awaited<ReturnType<typeof aShop>>;

/** The fault of a request: a part of its body, another URL, further headers. */
interface Fault {
  readonly body?: Body;
  readonly url?: string;
  readonly headers?: Headers;
}

type Send = (client: Client, shop: Shop, url: string | undefined, body: Body, headers: Headers) => Promise<ApiResponse>;

/** Every kind of request with its possible faults, by the code of their problem, in the order of the checks. */
const REQUESTS: readonly [string, Send, readonly (readonly [string, Fault])[]][] = [
  [
    'a change of a customer',
    (client, shop, url = shop.url, body, headers) => client.patch(url, body, headers),
    [
      ['name', { body: { name: 5 } }],
      ['idempotency_key_reused', { headers: { 'idempotency-key': 'used' } }],
      ['customer_not_found', { url: `/v1/customers/${NO_ORDER}` }],
      ['precondition_failed', { headers: { 'if-match': '"9-1"' } }],
      ['metadata', { body: { metadata: { one_more: 'x' } } }],
      ['email_taken', { body: { email: 'TAKEN@example.com' } }],
    ],
  ],
  [
    'a change of an order',
    (client, shop, url = shop.order.url, body, headers) => client.patch(url, body, headers),
    [
      ['precondition_failed', { headers: { 'if-match': '"9-1"' } }],
      ['invalid_status_transition', { body: { status: 'delivered' } }],
      ['customer_id', { body: { customer_id: NO_ORDER } }],
      ['metadata', { body: { metadata: { one_more: 'x' } } }],
      ['reference_taken', { body: { reference: 'A-2' } }],
    ],
  ],
  [
    'a change of a webhook endpoint',
    (client, shop, url = shop.endpoint, body, headers) => client.patch(url, body, headers),
    [
      ['description', { body: { description: 5 } }],
      ['idempotency_key_reused', { headers: { 'idempotency-key': 'used' } }],
      ['webhook_endpoint_not_found', { url: `/v1/webhook_endpoints/${NO_ORDER}` }],
      ['precondition_failed', { headers: { 'if-match': '"9-1"' } }],
    ],
  ],
  [
    'a deletion of a customer',
    (client, shop, url = shop.url, _, headers) => client.delete(url, headers),
    [
      ['idempotency_key_reused', { headers: { 'idempotency-key': 'used' } }],
      ['customer_not_found', { url: `/v1/customers/${NO_ORDER}` }],
      ['precondition_failed', { headers: { 'if-match': '"9-1"' } }],
      ['customer_has_orders', {}],
    ],
  ],
  [
    'a new customer',
    (client, _, __, body, headers) => client.post('/v1/customers', { email: 'new@example.com', ...body }, headers),
    [
      ['name', { body: { name: 5 } }],
      ['idempotency_key_reused', { headers: { 'idempotency-key': 'used' } }],
      ['email_taken', { body: { email: 'Taken@example.com' } }],
    ],
  ],
  [
    'a new order',
    (client, _, __, body, headers) => client.post('/v1/orders', aNewOrder(body), headers),
    [
      ['note', { body: { note: 5 } }],
      ['idempotency_key_reused', { headers: { 'idempotency-key': 'used' } }],
      ['customer_id', { body: { customer_id: NO_ORDER } }],
      ['reference_taken', { body: { reference: 'A-1' } }],
    ],
  ],
];

/** Returns the code of a problem, or the single invalid field of a body. */
function reasonOf({ body }: ApiResponse): string {
  const code = textAt(body, 'code');
  return code === 'validation_failed' ? textAt(body, 'errors', 0, 'field') : code;
}

async function reasonFor(send: Send, faults: readonly Fault[]): Promise<string> {
  const shop = await aShop();
  const body = faults.reduce<Body>((whole, fault) => ({ ...whole, ...fault.body }), {});
  const headers = faults.reduce<Headers>((whole, fault) => ({ ...whole, ...fault.headers }), {});
  const url = faults.find((fault) => fault.url !== undefined)?.url;
  return reasonOf(await send(shop.acme, shop, url, body, headers));
}

describe.each(REQUESTS)('%s', (_, send, faults) => {
  // Each row has the faults of all rows below it, too, but none of those above it.
  it.each(faults.map(([reason], index) => [reason, index] as const))(
    'is rejected for %s whatever else is wrong that is checked later',
    async (reason, index) => {
      expect(
        await reasonFor(
          send,
          faults.slice(index).map(([, fault]) => fault),
        ),
      ).toBe(reason);
    },
  );
});
