import { type RawResponse, requestText } from '@orders/system-under-test';

/** The parts of a request that its case determines. */
export interface CaseRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One kind of request, the expected response, and the source of its targets. */
export interface Case {
  /** The title in the tables of the report. */
  readonly title: string;
  /** The owner whose orders are read or written. */
  readonly owner: 'reader' | 'writer';
  /** Whether each target is used repeatedly, at most once, or generated for each request. */
  readonly targets: 'repeated' | 'single-use' | 'generated';
  readonly request: (target: string) => CaseRequest;
  readonly status: number;
  /** Texts that the headers of every response include, in lower case. */
  readonly headIncludes?: (target: string) => readonly string[];
  /** Texts that the body of every response includes. */
  readonly bodyIncludes?: (target: string) => readonly string[];
}

/** Returns a request of a case as text. */
export function rawRequest({ request }: Case, target: string, apiKey: string): string {
  const { headers, ...rest } = request(target);
  return requestText({ ...rest, headers: { 'x-api-key': apiKey, ...headers } });
}

const JSON_BODY = { 'content-type': 'application/json' };
const UNIT_AMOUNT = 2990;
const LINES = [0, 1, 2];

/** The maximum number of items of an order. */
const LINES_MAX = 100;

/** The total of every order of the benchmark. */
const TOTAL_AMOUNT = UNIT_AMOUNT * LINES.length;

/** The body of every order that is placed. */
export const NEW_ORDER = orderOf({});

const ADDRESS = {
  name: 'Ada Lovelace',
  line1: '12 Analytical Street',
  city: 'London',
  postal_code: 'N1 9GU',
  country: 'GB',
};

/** The same with a buyer, two addresses and two external ids. */
const ORDER_WITH_PARTIES = orderOf({
  buyer: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0000' },
  shipping_address: ADDRESS,
  billing_address: { ...ADDRESS, company: 'Analytical Engines Ltd', line2: 'Floor 2', phone: '+44 20 7946 0001' },
  external_ids: { stripe: ['pi_3Nk1xY2eZvKYlo2C'], erp: ['4711'] },
});

/** A body with two invalid fields. */
const INVALID_ORDER = JSON.stringify({
  items: [{ ...lineOf(0), sku: '' }, lineOf(1), { ...lineOf(2), quantity: 0 }],
});

function orderOf(parties: object): string {
  return JSON.stringify({ items: LINES.map((line) => lineOf(line)), ...parties, metadata: { channel: 'web' } });
}

function lineOf(line: number) {
  const unit_price = { amount: UNIT_AMOUNT, currency: 'EUR' };
  return { sku: `MUG-330-${line}`, name: 'Stoneware mug 330 ml', quantity: 1, unit_price };
}

/** A retry of a create. */
const REPLAY = {
  title: 'replay',
  owner: 'writer',
  targets: 'repeated',
  request: (target: string) => ({
    method: 'POST',
    path: '/v1/orders',
    headers: { ...JSON_BODY, 'idempotency-key': pairOf(target)[0] },
    body: NEW_ORDER,
  }),
  status: 201,
  headIncludes: (target: string) => ['idempotent-replayed: true', `location: /v1/orders/${pairOf(target)[1]}`],
  bodyIncludes: (target: string) => [`"id":"${pairOf(target)[1]}"`],
} as const satisfies Case;

/** A cancellation of an order that another process has placed. */
const CANCEL = {
  title: 'cancel with key',
  owner: 'writer',
  targets: 'single-use',
  request: (id: string) => ({
    method: 'POST',
    path: `/v1/orders/${id}/cancel`,
    headers: { ...JSON_BODY, 'idempotency-key': `cancel-${id}` },
    body: '{"reason":"changed my mind"}',
  }),
  status: 200,
  headIncludes: () => ['etag: "2-1"'],
  bodyIncludes: (id: string) => [`"id":"${id}"`, '"status":"cancelled"'],
} as const satisfies Case;

/** The cases that every server implements. A target is an order id, a key, or a key and the id of the order placed with it. */
const COMPARED = {
  get: {
    title: 'get',
    owner: 'reader',
    targets: 'repeated',
    request: (id) => ({ method: 'GET', path: `/v1/orders/${id}` }),
    status: 200,
    headIncludes: () => ['etag: "1-1"'],
    bodyIncludes: (id) => [`"id":"${id}"`, `"amount":${TOTAL_AMOUNT}`],
  },
  list: {
    title: 'list 20',
    owner: 'reader',
    targets: 'repeated',
    request: () => ({ method: 'GET', path: '/v1/orders' }),
    status: 200,
    bodyIncludes: (id) => [`"id":"${id}"`, '"has_more":true'],
  },
  create: {
    title: 'create with key',
    owner: 'writer',
    targets: 'generated',
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
  replay: REPLAY,
  replayElsewhere: { ...REPLAY, title: 'replay by another process', targets: 'single-use' },
  cancel: CANCEL,
  cancelWithoutKey: {
    ...CANCEL,
    title: 'cancel without key',
    request: (id) => ({ ...CANCEL.request(id), headers: JSON_BODY }),
  },
  notModified: {
    title: '304',
    owner: 'reader',
    targets: 'repeated',
    request: (id) => ({ method: 'GET', path: `/v1/orders/${id}`, headers: { 'if-none-match': '"1-1"' } }),
    status: 304,
    headIncludes: () => ['etag: "1-1"'],
  },
  invalid: {
    title: '422',
    owner: 'writer',
    targets: 'generated',
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

export type ComparedCase = keyof typeof COMPARED;

/** Every case of the comparison with other servers, in the order of the tables. */
export const COMPARED_CASES = [
  'get',
  'list',
  'create',
  'replay',
  'replayElsewhere',
  'cancel',
  'cancelWithoutKey',
  'notModified',
  'invalid',
] as const;

/** A change of the note of an order. A target is the id of the order and a note, which differs each time. */
function change(title: string, withKey: boolean): Case {
  return {
    title,
    owner: 'writer',
    targets: 'repeated',
    request: (target) => {
      const [id, note] = pairOf(target);
      const key = withKey ? { 'idempotency-key': `change-${note}` } : {};
      const headers = { 'content-type': 'application/merge-patch+json', ...key };
      return { method: 'PATCH', path: `/v1/orders/${id}`, headers, body: JSON.stringify({ note }) };
    },
    status: 200,
    bodyIncludes: (target) => [`"id":"${pairOf(target)[0]}"`, `"note":"${pairOf(target)[1]}"`],
  };
}

const place: Case = {
  ...COMPARED.create,
  title: 'create',
  request: () => ({ ...COMPARED.create.request(''), headers: JSON_BODY }),
};

const createWithParties: Case = {
  ...COMPARED.create,
  title: 'create with key and parties',
  request: (key) => ({ ...COMPARED.create.request(key), body: ORDER_WITH_PARTIES }),
};

/** The number of orders in a batch. */
export const BATCH_SIZE = 100;

const batch: Case = {
  title: 'batch',
  owner: 'writer',
  targets: 'generated',
  request: (key) => ({
    method: 'POST',
    path: '/v1/order_batches',
    headers: JSON_BODY,
    body: `{"orders":[${Array.from({ length: BATCH_SIZE }, (_, at) => `{"idempotency_key":"${key}-${at}","order":${NEW_ORDER}}`).join(',')}]}`,
  }),
  status: 207,
  bodyIncludes: () => ['{"data":[{"status":201,"replayed":false,"order":'],
};

/** A page of a list at any position. The target is its query. It is measured, but not compared between subjects. */
const PAGE: Case = {
  title: 'page',
  owner: 'reader',
  targets: 'repeated',
  request: (query) => ({ method: 'GET', path: `/v1/orders?${query}` }),
  status: 200,
  bodyIncludes: () => ['"has_more":true'],
};

/** A page of events. The target is its query and a text of the body. */
const EVENTS: Case = {
  title: 'events',
  owner: 'reader',
  targets: 'repeated',
  request: (target) => ({ method: 'GET', path: `/v1/events?${pairOf(target)[0]}` }),
  status: 200,
  bodyIncludes: (target) => [pairOf(target)[1]],
};

/** Every case. */
export const CASES = {
  ...COMPARED,
  place,
  createWithParties,
  batch,
  change: change('change', false),
  changeWithKey: change('change with key', true),
  changeLarge: change(`change, ${LINES_MAX} items`, false),
  changeLargeWithKey: change(`change with key, ${LINES_MAX} items`, true),
  page: PAGE,
  events: EVENTS,
} as const;

export type CaseName = keyof typeof CASES;

/** The body of an order with the maximum number of items. The target is its key. */
export const LARGE: Case = {
  ...COMPARED.create,
  request: (key) => ({
    ...COMPARED.create.request(key),
    body: JSON.stringify({ items: Array.from({ length: LINES_MAX }, (_, line) => lineOf(line)) }),
  }),
};

/** Returns a target of two parts, such as a used key and the id of the order that was placed with it. */
export function pairTarget(first: string, second: string): string {
  return `${first} ${second}`;
}

function pairOf(target: string): readonly [string, string] {
  const [first = '', second = ''] = target.split(' ');
  return [first, second];
}

/** Whether a response is the one that a case expects. */
export function isExpected(
  { status, headIncludes, bodyIncludes }: Case,
  target: string,
  response: RawResponse,
): boolean {
  const head = response.head.toLowerCase();
  return (
    response.status === status &&
    (headIncludes?.(target) ?? []).every((part) => head.includes(part)) &&
    (bodyIncludes?.(target) ?? []).every((part) => response.body.includes(part))
  );
}
