import { describe, expect, it } from 'vitest';
import { NEW_CUSTOMER } from '../../src/api/customers/customer-schemas.ts';
import { at } from '../fixtures/json.ts';
import { aNewItem, aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { closedSchemas } from '../openapi/schemas.ts';
import { BEYOND_THE_SCHEMA, brokenRules, type RuleName } from './beyond-the-schema.ts';
import { fieldsOf, forbiddenParts, type FuzzRequest } from './fuzz-requests.ts';
import { operationOf } from './fuzzed-operation.ts';
import { aSeededApi, type SeededApi } from './seeded-api.ts';

/** Two requests that the document allows: the first breaks the rule, the second does not. */
interface Example {
  readonly operation: string;
  readonly refused: Part;
  readonly taken: Part;
}

interface Part {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const price = (amount: number, currency = 'EUR') => ({ unit_price: { amount, currency } });
const LARGE = { ...price(9_007_199_255), quantity: 1_000_000 };
const LARGEST = { ...price(9_007_199_254), quantity: 1_000_000 };

/** An example of every rule; the compiler reports a missing one. */
const EXAMPLES: Readonly<Record<RuleName, (api: SeededApi) => Example>> = {
  'an order has one currency': () => ({
    operation: 'place_order',
    refused: { body: aNewOrder({ items: [aNewItem(), aNewItem(price(1, 'USD'))] }) },
    taken: { body: aNewOrder({ items: [aNewItem(price(1, 'USD')), aNewItem(price(1, 'USD'))] }) },
  }),
  'a total is a safe integer': () => ({
    operation: 'place_order',
    refused: { body: aNewOrder({ items: [aNewItem(), aNewItem(LARGE)] }) },
    taken: { body: aNewOrder({ items: [aNewItem(), aNewItem(LARGEST)] }) },
  }),
  'text is well-formed Unicode': () => ({
    operation: 'create_customer',
    refused: { body: { email: 'a@b', name: 'Ada \ud83d', metadata: { '\udd25': '' } } },
    taken: { body: { email: 'a@b', name: 'Ada \ud83d\udd25', metadata: { '\ud83d\udd25': '' } } },
  }),
  'a reason requires a cancellation': ({ seeds }) => ({
    operation: 'change_order',
    refused: { parameters: { id: seeds.long }, body: { status: 'paid', cancel_reason: null } },
    taken: { parameters: { id: seeds.long }, body: { status: 'cancelled', cancel_reason: null } },
  }),
  'a customer exists': ({ seeds }) => ({
    operation: 'place_order',
    refused: { body: aNewOrder({ customer_id: NO_ORDER }) },
    taken: { body: aNewOrder({ customer_id: seeds.customers[0] }) },
  }),
  'metadata has at most fifty keys after a patch': ({ seeds }) => ({
    operation: 'change_order',
    refused: { parameters: { id: seeds.long }, body: { metadata: { more: '' } } },
    taken: { parameters: { id: seeds.long }, body: { metadata: { more: '', 'key 0': null } } },
  }),
  'a URL is a target that the server allows': () => ({
    operation: 'create_webhook_endpoint',
    refused: { body: { url: 'http://example.com/' } },
    taken: { body: { url: 'https://example.com/' } },
  }),
  'a cursor excludes an offset': ({ cursors }) => ({
    operation: 'list_orders',
    refused: { parameters: { after: cursors['orders'], offset: 0 } },
    taken: { parameters: { after: cursors['orders'] } },
  }),
  'a cursor excludes a time': ({ seeds, cursors }) => ({
    operation: 'list_order_versions',
    refused: { parameters: { id: seeds.long, after: cursors['versions'], at: '2026-01-02T03:04:05Z' } },
    taken: { parameters: { id: seeds.long, after: cursors['versions'] } },
  }),
  'a cursor excludes the end of the feed': ({ cursors }) => ({
    operation: 'list_events',
    refused: { parameters: { after: cursors['events'], start: 'latest' } },
    taken: { parameters: { after: cursors['events'], start: 'oldest' } },
  }),
  'a cursor requires the same list, sort and filter': ({ cursors }) => ({
    operation: 'list_customers',
    refused: { parameters: { after: cursors['orders'] } },
    taken: { parameters: { after: cursors['customers'] } },
  }),
  'an idempotency key belongs to one request': () => ({
    operation: 'create_customer',
    refused: { parameters: { 'Idempotency-Key': 'placed' }, body: { ...NEW_CUSTOMER, name: null } },
    taken: { parameters: { 'Idempotency-Key': 'fresh' }, body: { ...NEW_CUSTOMER, name: null } },
  }),
};

const NAMES = Object.keys(BEYOND_THE_SCHEMA).filter((name): name is RuleName => name in EXAMPLES);

describe('a rule that the schemas do not express', () => {
  it('has an example', () => expect(NAMES).toEqual(Object.keys(BEYOND_THE_SCHEMA)));

  it.each(NAMES)('rejects a request that the document allows, with its code and fields: %s', async (name) => {
    const api = await aSeededApi();
    const { code } = BEYOND_THE_SCHEMA[name];
    const { operation, refused } = EXAMPLES[name](api);
    const request = requestOf(api, operation, refused);
    const broken = brokenRules(request, api);
    expect(broken.map((rule) => rule.name)).toEqual([name]);
    const response = await api.send(request);
    expect([400, 422]).toContain(response.status);
    expect(at(response.body, 'code')).toBe(code);
    expect(fieldsOf(response).toSorted()).toEqual(broken.flatMap(({ fields }) => fields).toSorted());
  });

  it.each(NAMES)('is the only reason of the rejection: %s', async (name) => {
    const api = await aSeededApi();
    const { operation, taken } = EXAMPLES[name](api);
    const request = requestOf(api, operation, taken);
    expect(brokenRules(request, api)).toEqual([]);
    expect((await api.send(request)).status).toBeLessThan(300);
  });
});

/** Returns the request, and fails unless the document allows it. */
function requestOf(api: SeededApi, id: string, { parameters = {}, body }: Part): FuzzRequest {
  const operation = operationOf(api, id);
  const [type = ''] = operation.body?.types ?? [];
  const request: FuzzRequest = {
    operation,
    server: api.servers[0] ?? '',
    parameters,
    repeats: false,
    surplus: '',
    body: body === undefined ? undefined : { type, value: body },
    accept: undefined,
  };
  expect(forbiddenParts(closedSchemas(api.document), request)).toEqual([]);
  return request;
}
