import type { Case } from './case.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const UNIT_AMOUNT = 2990;
const LINES = [0, 1, 2];

/** The total of every order of the benchmark. */
const TOTAL_AMOUNT = UNIT_AMOUNT * LINES.length;

/** The body of every order that is placed. */
export const NEW_ORDER = JSON.stringify({ items: LINES.map((line) => lineOf(line)), metadata: { channel: 'web' } });

/** A body with two invalid fields. */
const INVALID_ORDER = JSON.stringify({
  items: [{ ...lineOf(0), sku: '' }, lineOf(1), { ...lineOf(2), quantity: 0 }],
});

function lineOf(line: number) {
  const unit_price = { amount: UNIT_AMOUNT, currency: 'EUR' };
  return { sku: `MUG-330-${line}`, name: 'Stoneware mug 330 ml', quantity: 1, unit_price };
}

const nothing = () => [];

/** The measured cases by name. A target is an order id, a key, or a key and the id of the order placed with it. */
export const CASES = {
  get: {
    title: 'get',
    owner: 'reader',
    targets: 'repeated',
    writes: false,
    request: (id) => ({ method: 'GET', path: `/v1/orders/${id}` }),
    status: 200,
    headIncludes: () => ['etag: "1-1"'],
    bodyIncludes: (id) => [`"id":"${id}"`, `"amount":${TOTAL_AMOUNT}`],
  },
  list: {
    title: 'list 20',
    owner: 'reader',
    targets: 'repeated',
    writes: false,
    request: () => ({ method: 'GET', path: '/v1/orders' }),
    status: 200,
    headIncludes: nothing,
    bodyIncludes: (id) => [`"id":"${id}"`, '"has_more":true'],
  },
  create: {
    title: 'create with key',
    owner: 'writer',
    targets: 'generated',
    writes: true,
    request: (key) => ({
      method: 'POST',
      path: '/v1/orders',
      headers: { ...JSON_BODY, 'idempotency-key': key },
      body: NEW_ORDER,
    }),
    status: 201,
    headIncludes: () => ['etag: "1-1"', 'location: /v1/orders/'],
    bodyIncludes: () => [`"amount":${TOTAL_AMOUNT}`],
  },
  replay: {
    title: 'replay',
    owner: 'writer',
    targets: 'repeated',
    writes: false,
    request: (target) => ({
      method: 'POST',
      path: '/v1/orders',
      headers: { ...JSON_BODY, 'idempotency-key': keyAndId(target).key },
      body: NEW_ORDER,
    }),
    status: 201,
    headIncludes: (target) => ['idempotent-replayed: true', `location: /v1/orders/${keyAndId(target).id}`],
    bodyIncludes: (target) => [`"id":"${keyAndId(target).id}"`],
  },
  cancel: {
    title: 'cancel with key',
    owner: 'writer',
    targets: 'single-use',
    writes: true,
    request: (id) => ({
      method: 'POST',
      path: `/v1/orders/${id}/cancel`,
      headers: { ...JSON_BODY, 'idempotency-key': `cancel-${id}` },
      body: '{"reason":"changed my mind"}',
    }),
    status: 200,
    headIncludes: () => ['etag: "2-1"'],
    bodyIncludes: (id) => [`"id":"${id}"`, '"status":"cancelled"'],
  },
  notModified: {
    title: '304',
    owner: 'reader',
    targets: 'repeated',
    writes: false,
    request: (id) => ({ method: 'GET', path: `/v1/orders/${id}`, headers: { 'if-none-match': '"1-1"' } }),
    status: 304,
    headIncludes: () => ['etag: "1-1"'],
    bodyIncludes: nothing,
  },
  invalid: {
    title: '422',
    owner: 'writer',
    targets: 'generated',
    writes: false,
    request: (key) => ({
      method: 'POST',
      path: '/v1/orders',
      headers: { ...JSON_BODY, 'idempotency-key': key },
      body: INVALID_ORDER,
    }),
    status: 422,
    headIncludes: () => ['content-type: application/problem+json'],
    bodyIncludes: () => ['"code":"validation_failed"', '"items[0].sku"', '"items[2].quantity"'],
  },
} as const satisfies Readonly<Record<string, Case>>;

export type CaseName = keyof typeof CASES;

/** Every case, in the order of the tables. */
export const CASE_NAMES = ['get', 'list', 'create', 'replay', 'cancel', 'notModified', 'invalid'] as const;

/** A page of a list at any position. The target is its query. It is measured, but not compared between subjects. */
export const PAGE: Case = {
  title: 'page',
  owner: 'reader',
  targets: 'repeated',
  writes: false,
  request: (query) => ({ method: 'GET', path: `/v1/orders?${query}` }),
  status: 200,
  headIncludes: nothing,
  bodyIncludes: () => ['"has_more":true'],
};

/** Returns the target of a replay from a used key and the id of the order that was placed with it. */
export function replayTarget(key: string, id: string): string {
  return `${key} ${id}`;
}

function keyAndId(target: string): { readonly key: string; readonly id: string } {
  const [key = '', id = ''] = target.split(' ');
  return { key, id };
}
