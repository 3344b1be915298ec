import type { Case } from './case.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const UNIT_AMOUNT = 2990;
const LINES = [0, 1, 2];

/** The maximum number of items of an order. */
const LINES_MAX = 100;

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

/** A change of the note of an order. A target is the id of the order and a note, which differs each time. */
function change(title: string, withKey: boolean): Case {
  return {
    title,
    owner: 'writer',
    targets: 'repeated',
    writes: true,
    request: (target) => {
      const { id, note } = idAndNote(target);
      const key = withKey ? { 'idempotency-key': `change-${note}` } : {};
      const headers = { 'content-type': 'application/merge-patch+json', ...key };
      return { method: 'PATCH', path: `/v1/orders/${id}`, headers, body: JSON.stringify({ note }) };
    },
    status: 200,
    headIncludes: nothing,
    bodyIncludes: (target) => [`"id":"${idAndNote(target).id}"`, `"note":"${idAndNote(target).note}"`],
  };
}

/** The writes that only revisions are compared by. */
export const WRITE_CASES = {
  place: { ...CASES.create, title: 'create', request: () => ({ ...CASES.create.request(''), headers: JSON_BODY }) },
  change: change('change', false),
  changeWithKey: change('change with key', true),
  changeLarge: change(`change, ${LINES_MAX} items`, false),
  changeLargeWithKey: change(`change with key, ${LINES_MAX} items`, true),
} as const satisfies Readonly<Record<string, Case>>;

/** Every case of {@link WRITE_CASES}, in the order of the table. */
export const WRITE_CASE_NAMES = ['place', 'change', 'changeWithKey', 'changeLarge', 'changeLargeWithKey'] as const;

/** The body of an order with the maximum number of items. The target is its key. */
export const LARGE: Case = {
  ...CASES.create,
  request: (key) => ({
    ...CASES.create.request(key),
    body: JSON.stringify({ items: Array.from({ length: LINES_MAX }, (_, line) => lineOf(line)) }),
  }),
};

/** A page of a list at any position. The target is its query. It is measured, but not compared between subjects. */
const PAGE: Case = {
  title: 'page',
  owner: 'reader',
  targets: 'repeated',
  writes: false,
  request: (query) => ({ method: 'GET', path: `/v1/orders?${query}` }),
  status: 200,
  headIncludes: nothing,
  bodyIncludes: () => ['"has_more":true'],
};

/** A page of events. The target is its query and a text of the body. */
const EVENTS: Case = {
  title: 'events',
  owner: 'reader',
  targets: 'repeated',
  writes: false,
  request: (target) => ({ method: 'GET', path: `/v1/events?${queryAndText(target).query}` }),
  status: 200,
  headIncludes: nothing,
  bodyIncludes: (target) => [queryAndText(target).text],
};

function queryAndText(target: string): { readonly query: string; readonly text: string } {
  const [query = '', text = ''] = target.split(' ');
  return { query, text };
}

/** Every case that the load process knows. */
export const LOAD_CASES = { ...CASES, ...WRITE_CASES, page: PAGE, events: EVENTS } as const;

/** Returns the target of a replay from a used key and the id of the order that was placed with it. */
export function replayTarget(key: string, id: string): string {
  return `${key} ${id}`;
}

function keyAndId(target: string): { readonly key: string; readonly id: string } {
  const [key = '', id = ''] = target.split(' ');
  return { key, id };
}

/** Returns the target of a change from the id of an order and the new note. */
export function changeTarget(id: string, note: string): string {
  return `${id} ${note}`;
}

function idAndNote(target: string): { readonly id: string; readonly note: string } {
  const [id = '', note = ''] = target.split(' ');
  return { id, note };
}
