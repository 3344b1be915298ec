import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { isIdempotencyKey } from '@orders/domain';
import { ok, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../src/generated/problems.ts';
import { euros, NO_ID, TEA } from '../doors/doors.ts';

/** What the tests read of the document. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly allOf?: readonly [unknown, OwnPart] }>>;
    readonly parameters: Readonly<
      Record<'IdempotencyKey' | 'OrdersExternalUserId', { readonly schema: { readonly pattern: string } }>
    >;
  };
}
/** The part of the schema of a problem that is its own. */
interface OwnPart {
  readonly properties: Readonly<Record<'code', { readonly const?: string }>> & {
    readonly status?: { readonly const: number };
  };
}

const text = readFileSync(join(import.meta.dirname, '../../../http-adapter/openapi.json'), 'utf8');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a document of this repository
const { paths, components } = JSON.parse(text) as Document;
/** The request of each operation, such as `GET /orders/{id}`. */
const REQUESTS = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId }]) =>
    operationId === undefined ? [] : [[operationId, `${method.toUpperCase()} ${path}`] as const],
  ),
);
/** The code and the status of every problem. */
const ALL_PROBLEMS = Object.values(components.schemas).flatMap(({ allOf }) => {
  const { code, status } = allOf?.[1].properties ?? {};
  return code?.const === undefined || !status ? [] : [[code.const, status.const] as const];
});

/** A call of the client, whichever operation it belongs to. */
type Call = (orders: OrdersClient) => ResultAsync<unknown, { readonly type: string }>;

/** The call of each operation of the document. */
const CALLS: Readonly<Record<keyof typeof PROBLEMS, Call>> = {
  list_orders: (orders) => orders.list().page(),
  place_order: (orders) => orders.place({ items: [TEA] }),
  create_order_batch: (orders) =>
    new ResultAsync(orders.placeMany([{ order: { items: [TEA] } }]).then(([first]) => first ?? ok(null))),
  get_order: (orders) => orders.get(NO_ID),
  change_order: (orders) => orders.change(NO_ID, {}),
  delete_order: (orders) => orders.delete(NO_ID),
  list_order_items: (orders) => orders.items(NO_ID).page(),
  list_order_versions: (orders) => orders.versions(NO_ID).page(),
  get_order_version: (orders) => orders.version(NO_ID, 1),
  cancel_order: (orders) => orders.cancel(NO_ID),
  adjust_order: (orders) => orders.adjust(NO_ID, { adjustments: [{ type: 'fee', name: 'Gift', amount: euros(1) }] }),
  add_items: (orders) => orders.addItems(NO_ID, { items: [TEA] }),
  fulfill_items: (orders) => orders.fulfill(NO_ID),
  cancel_fulfillment: (orders) => orders.cancelFulfillment(NO_ID, NO_ID),
  return_items: (orders) => orders.returnItems(NO_ID, { items: [{ item_id: NO_ID, quantity: 1 }] }),
  list_customers: (orders) => orders.customers.list().page(),
  create_customer: (orders) => orders.customers.create({ email: 'a@b.c' }),
  search_orders: (orders) => orders.findByEmail('a@b.c').page(),
  search_customers: (orders) => orders.customers.search({ email: 'a@b.c' }),
  get_customer: (orders) => orders.customers.get(NO_ID),
  change_customer: (orders) => orders.customers.change(NO_ID, {}),
  delete_customer: (orders) => orders.customers.delete(NO_ID),
  list_customer_data: (orders) => orders.customers.data(NO_ID).page(),
  erase_customer: (orders) => orders.customers.erase(NO_ID),
  erase_person: (orders) => orders.erasures.create({ email: 'a@b.c' }),
  get_erasure: (orders) => orders.erasures.get(NO_ID),
  list_person_data: (orders) => orders.erasures.data({ email: 'a@b.c' }).page(),
  list_events: (orders) => orders.events.page(),
  list_webhook_endpoints: (orders) => orders.webhooks.list().page(),
  get_order_statistics: (orders) => orders.statistics({ interval: 'day', from: '', before: '' }),
  create_webhook_endpoint: (orders) => orders.webhooks.create({ url: 'https://example.com' }),
  get_webhook_endpoint: (orders) => orders.webhooks.get(NO_ID),
  change_webhook_endpoint: (orders) => orders.webhooks.change(NO_ID, {}),
  delete_webhook_endpoint: (orders) => orders.webhooks.delete(NO_ID),
  rotate_webhook_secret: (orders) => orders.webhooks.rotateSecret(NO_ID),
  test_webhook_endpoint: (orders) => orders.webhooks.test(NO_ID),
  list_webhook_deliveries: (orders) => orders.webhooks.deliveries(NO_ID).page(),
  redeliver_webhook_event: (orders) => orders.webhooks.redeliver(NO_ID, NO_ID),
};

const INVALID_REQUESTS = [
  'invalid_parameter',
  'unknown_parameter',
  'conflicting_parameters',
  'invalid_cursor',
  'invalid_idempotency_key',
];

/** Returns the type of the error that a problem becomes. */
function typeOf(code: string, status: number, own: object): string {
  if (Object.hasOwn(own, code) || code === 'insufficient_scope') return code;
  if (INVALID_REQUESTS.includes(code) && Object.hasOwn(own, 'validation_failed')) return 'validation_failed';
  if (status === 401) return 'unauthenticated';
  if (status === 429) return 'rate_limited';
  return status >= 500 || status === 408 ? 'unreachable' : 'unexpected_response';
}

describe('the operations of the document', () => {
  it.each(REQUESTS)('have a method of the client, which has their errors: %s', async (operation, documented) => {
    const call = Object.entries(CALLS).find(([name]) => name === operation)?.[1];
    if (!call) throw new Error('no method of the client has it');
    const own = Object.entries(PROBLEMS).find(([name]) => name === operation)?.[1] ?? {};
    expect(ALL_PROBLEMS.length).toBeGreaterThan(40);
    const sent = new Set<string>();
    for (const [code, status] of ALL_PROBLEMS) {
      const respond: typeof fetch = (url, init) => {
        const { pathname } = new URL(url instanceof Request ? url.url : url);
        const path = pathname.slice('/v1'.length).replace(NO_ID, '{id}').replace(NO_ID, '{fulfillment_id}');
        sent.add(`${init?.method} ${path.replace(/\/1$/, '/{version}')}`);
        return Promise.resolve(Response.json({ code, current_version: 7 }, { status }));
      };
      const orders = createOrdersClient({ baseUrl: 'http://orders.test', retries: 0, fetch: respond });
      expect([code, (await call(orders))._unsafeUnwrapErr().type]).toEqual([code, typeOf(code, status, own)]);
    }
    expect([...sent]).toEqual([documented]);
  });
});

describe('the file of generated types', () => {
  it('matches the document and the generator, or `pnpm generate` has to run', () => {
    const generated = readFileSync(join(import.meta.dirname, '../../src/generated/api.ts'), 'utf8');
    const { schemas, parameters } = components;
    const patterns = [parameters.IdempotencyKey, parameters.OrdersExternalUserId].map(({ schema }) => schema.pattern);
    const digest = (content: string) => createHash('sha256').update(content).digest('hex').slice(0, 32);
    const body = generated.slice(generated.indexOf('\n\n') + 2);
    const head = `// Generated by \`pnpm generate\` from schemas ${digest(JSON.stringify([schemas, ...patterns]))} as ${digest(body)}.`;
    expect(generated.slice(0, generated.indexOf('\n'))).toBe(head);
  });
});

describe('the pattern of idempotency keys in the document', () => {
  const pattern = new RegExp(components.parameters.IdempotencyKey.schema.pattern);
  const characters = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));

  it.each([
    ['one character', characters],
    ['two characters', characters.map((character) => `"${character}`)],
    ['any length', [0, 1, 254, 255, 256].map((length) => '"'.repeat(length))],
  ])('accepts the keys of the domain alone, bare or in quotes: %s', (_, keys) => {
    const isBare = (key: string) => !key.startsWith('"');
    const quoted = keys.map((key) => `"${key.replaceAll(/["\\]/g, '\\$&')}"`);
    expect(keys.filter((_key, index) => pattern.test(quoted[index] ?? ''))).toEqual(keys.filter(isIdempotencyKey));
    expect(keys.filter((key) => isBare(key) && pattern.test(key))).toEqual(
      keys.filter(isBare).filter(isIdempotencyKey),
    );
  });
});
