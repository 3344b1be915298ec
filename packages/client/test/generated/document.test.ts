import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { isIdempotencyKey } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aHandWrittenServer } from '../servers/a-server.ts';
import { NO_ID, TEA } from '../doors/doors.ts';

interface Reference {
  readonly $ref: string;
}
/** The part of a problem schema that is its own. */
interface OwnPart {
  readonly properties: Readonly<Record<string, { readonly const?: unknown; readonly examples?: readonly unknown[] }>>;
}
interface Schema {
  readonly allOf?: readonly [Reference, OwnPart];
}
interface Documented {
  readonly $ref?: string;
  readonly content?: Readonly<
    Record<string, { readonly schema: Reference | { readonly oneOf: readonly Reference[] } }>
  >;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly ({ readonly $ref: string } | { readonly name: string; readonly in: string })[];
  readonly responses: Readonly<Record<string, Documented>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Documented>>;
    readonly parameters: { readonly IdempotencyKey: { readonly schema: { readonly pattern: string } } };
  };
}

const text = readFileSync(join(import.meta.dirname, '../../../http-adapter/openapi.json'), 'utf8');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a document of this repository
const { paths, components } = JSON.parse(text) as Document;
const OPERATIONS = Object.values(paths).flatMap((item) =>
  Object.entries(item).flatMap(([method, operation]) =>
    method === 'head' || !('operationId' in operation) ? [] : [operation],
  ),
);

/** A result of the client, whichever operation it belongs to. */
type Call = (orders: OrdersClient) => ResultAsync<unknown, { readonly type: string }>;

/** The call of each operation of the document. */
const CALLS: Readonly<Record<string, Call>> = {
  list_orders: (orders) => orders.list().page(),
  place_order: (orders) => orders.place({ items: [TEA] }),
  get_order: (orders) => orders.get(NO_ID),
  change_order: (orders) => orders.change(NO_ID, {}),
  delete_order: (orders) => orders.delete(NO_ID),
  list_order_items: (orders) => orders.items(NO_ID).page(),
  list_order_versions: (orders) => orders.versions(NO_ID).page(),
  get_order_version: (orders) => orders.version(NO_ID, 1),
  cancel_order: (orders) => orders.cancel(NO_ID),
  list_customers: (orders) => orders.customers.list().page(),
  create_customer: (orders) => orders.customers.create({ email: 'a@b.c' }),
  get_customer: (orders) => orders.customers.get(NO_ID),
  change_customer: (orders) => orders.customers.change(NO_ID, {}),
  delete_customer: (orders) => orders.customers.delete(NO_ID),
  list_events: (orders) => orders.events.page(),
  list_webhook_endpoints: (orders) => orders.webhooks.list().page(),
  create_webhook_endpoint: (orders) => orders.webhooks.create({ url: 'https://example.com' }),
  get_webhook_endpoint: (orders) => orders.webhooks.get(NO_ID),
  change_webhook_endpoint: (orders) => orders.webhooks.change(NO_ID, {}),
  delete_webhook_endpoint: (orders) => orders.webhooks.delete(NO_ID),
  rotate_webhook_secret: (orders) => orders.webhooks.rotateSecret(NO_ID),
  test_webhook_endpoint: (orders) => orders.webhooks.test(NO_ID),
  list_webhook_deliveries: (orders) => orders.webhooks.deliveries(NO_ID).page(),
  redeliver_webhook_event: (orders) => orders.webhooks.redeliver(NO_ID, NO_ID),
};

/** The types of errors for codes that every operation has, or that the client prevents. */
const COMMON: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'malformed_request',
      'malformed_json',
      'invalid_header',
      'not_acceptable',
      'request_timeout',
      'origin_not_allowed',
      'payload_too_large',
      'uri_too_long',
      'unsupported_media_type',
      'headers_too_large',
    ].map((code) => [code, 'unexpected_response']),
  ),
  rate_limited: 'rate_limited',
  too_many_waiters: 'rate_limited',
  internal_error: 'unreachable',
  unavailable: 'unreachable',
  timeout: 'unreachable',
  unauthenticated: 'unauthenticated',
  invalid_token: 'unauthenticated',
};
const INVALID = [
  'invalid_parameter',
  'unknown_parameter',
  'conflicting_parameters',
  'invalid_cursor',
  'invalid_idempotency_key',
];

/** Returns the type of the error that a code becomes. */
function typeOf(code: string, { operationId }: Operation): string {
  const isRead = operationId.startsWith('get_') || operationId === 'test_webhook_endpoint';
  if (INVALID.includes(code)) return isRead ? 'unexpected_response' : 'validation_failed';
  // The client sends a read without conditions.
  if (code === 'precondition_failed' && isRead) return 'unexpected_response';
  return COMMON[code] ?? code;
}

/** Returns the problems that the document has for an operation, by their codes. */
function problemsOf({ responses }: Operation): ReadonlyMap<string, readonly [status: number, problem: object]> {
  const found = new Map<string, readonly [number, object]>();
  for (const [status, response] of Object.entries(responses)) {
    const resolved = response.$ref === undefined ? response : components.responses[nameIn(response.$ref)];
    const { schema } = resolved?.content?.['application/problem+json'] ?? { schema: { oneOf: [] } };
    for (const { $ref } of 'oneOf' in schema ? schema.oneOf : [schema]) {
      const problem = problemOf(nameIn($ref));
      found.set(String(problem['code']), [Number(status), problem]);
    }
  }
  return found;
}

/** Returns an example of a problem: the fixed values of its schema, and the examples of its other members. */
function problemOf(name: string): Readonly<Record<string, unknown>> {
  const { properties } = components.schemas[name]?.allOf?.[1] ?? { properties: {} };
  const members = Object.entries(properties).map(([member, { const: fixed, examples }]): [string, unknown] => [
    member,
    fixed ?? examples?.[0],
  ]);
  return { type: 'about:blank', title: name, request_id: 'a1', ...Object.fromEntries(members) };
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

describe('the operations of the document', () => {
  it('are all methods of the client', () => {
    expect(OPERATIONS.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(CALLS).toSorted());
  });

  it.each(OPERATIONS)('have their problems as errors of the client: $operationId', async (operation) => {
    const problems = problemsOf(operation);
    // 401, 403, 429, 500, 503 and more.
    expect(problems.size).toBeGreaterThan(12);
    let current: readonly [status: number, problem: object] = [500, {}];
    const { baseUrl } = await aHandWrittenServer((_, response) => {
      response.writeHead(current[0]).end(JSON.stringify(current[1]));
    });
    const orders = createOrdersClient({ baseUrl, retries: 0 });
    const types = new Map<string, string>();
    const expected = new Map<string, string>();
    for (const [code, problem] of problems) {
      current = problem;
      const call = CALLS[operation.operationId];
      if (call) types.set(code, (await call(orders))._unsafeUnwrapErr().type);
      expected.set(code, typeOf(code, operation));
    }
    expect(types).toEqual(expected);
  });
});

describe('the file of generated types', () => {
  it('matches the document and the generator, or `pnpm generate` has to run', () => {
    const generated = readFileSync(join(import.meta.dirname, '../../src/generated/api.ts'), 'utf8');
    const { schemas, parameters } = components;
    const digest = (content: string) => createHash('sha256').update(content).digest('hex').slice(0, 32);
    const body = generated.slice(generated.indexOf('\n\n') + 2);
    const head = `// Generated by \`pnpm generate\` from schemas ${digest(JSON.stringify([schemas, parameters.IdempotencyKey.schema.pattern]))} as ${digest(body)}.`;
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

describe('the methods of the client', () => {
  it.each(['orders', 'customers', 'events', 'webhooks', 'listing', 'create-orders-client', 'verify-webhook'])(
    'have one plain sentence and an example in their hover text: %s',
    (file) => {
      const source = readFileSync(join(import.meta.dirname, `../../src/${file}.ts`), 'utf8');
      const documented = [
        ...source.matchAll(
          /\/\*\*((?:(?!\*\/)[^])*)\*\/\s+(?:readonly (\w+): (?:<[^>]*>)?\(|export function (createOrdersClient|verifyWebhook))/g,
        ),
      ];
      // Members with a type of their own, such as an option, are no methods.
      const methods = documented.filter(([declaration]) => !declaration.includes('Default:'));
      expect(methods.length).toBeGreaterThan(0);
      for (const [, comment = ''] of methods) {
        const [sentence = '', example = ''] = comment.replaceAll(/^ *\* ?/gm, '').split('@example');
        expect(sentence.trim()).toMatch(/^[A-Z][^]*\.$/);
        expect(example.trim().length).toBeGreaterThan(20);
      }
      const declared = [...source.matchAll(/^ {2}readonly \w+: (?:<[^>]*>)?\(/gm)];
      expect(documented.length).toBeGreaterThanOrEqual(declared.length);
    },
  );

  it('have no `any` in their types', () => {
    const names = [
      'orders',
      'customers',
      'events',
      'webhooks',
      'listing',
      'errors',
      'schemas',
      'options',
      'definition',
    ];
    const sources = [...names, 'generated/api', 'verify-webhook', 'create-orders-client'].map((name) =>
      readFileSync(join(import.meta.dirname, `../../src/${name}.ts`), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, ''),
    );
    for (const source of sources) expect(source).not.toMatch(/\bany\b/);
  });
});
