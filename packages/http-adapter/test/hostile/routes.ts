import { randomUUIDv7 } from 'node:crypto';
import { operationsOf } from './operations.ts';

/** A route of the API or of the pages around it. */
export interface Route {
  readonly id: string;
  readonly method: string;
  /** The path, with names of targets in braces. */
  readonly path: string;
  /** Names of query parameters. */
  readonly parameters: readonly string[];
  /** The media type of its body. */
  readonly type: string | undefined;
  /** The query of its largest valid request. */
  readonly query: string;
  /** The status of its largest valid request, if it is no success. */
  readonly status: number | undefined;
  /** The limit of its bodies in bytes, as the server reports it; 0 without a body. */
  readonly bodyLimit: number;
  /** Returns the largest body that the document allows. */
  readonly body: ((targets: Targets) => Body) | undefined;
  /** Other valid bodies, by what they are. */
  readonly bodies: { readonly [name: string]: () => Body };
  /** The elements of the largest body, or of the largest page. Ten of them count as a unit. */
  readonly elements: number;
}

type Body = Readonly<Record<string, unknown>>;

/** Ids of resources by the name in a path, such as `orders`; a customer with orders; what the order has. */
export interface Targets extends Readonly<Record<'orders' | 'customers' | 'webhook_endpoints' | 'buyer', string>> {
  readonly items: readonly string[];
  readonly fulfillment_id: string;
}

const fill = (length: number) => 'x'.repeat(length);
const metadata = (letter: string) =>
  Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${letter}${fill(37)}${at + 10}`, fill(500)]));
const items = Array.from({ length: 100 }, () => ({
  sku: fill(64),
  name: fill(255),
  quantity: 2,
  unit_price: { amount: 29_900_000, currency: 'EUR' },
}));
/** The body of the request by which all others are measured. */
export const ONE_ITEM = (): Body => ({ items: items.slice(0, 1) });
const adjustment = { type: 'tax', name: fill(255), amount: { amount: 1000, currency: 'EUR' }, included: true };
/** One of each item, and as many adjustments. */
const ofItems = ({ items: ids }: Targets) => ({
  items: ids.map((item_id) => ({ item_id, quantity: 1 })),
  adjustments: ids.map((item_id) => ({ ...adjustment, item_id })),
});
const email = () => `${fill(64)}@${fill(150)}${randomUUIDv7()}.de`;
const TYPES = {
  order:
    'placed changed paid shipped delivered cancelled adjusted items_added items_fulfilled items_returned items_cancelled fulfillment_cancelled corrected erased deleted',
  customer: 'created changed erased deleted',
  webhook_endpoint: 'disabled',
};
const types = Object.entries(TYPES).flatMap(([of, names]) => names.split(' ').map((name) => `${of}.${name}`));
// No receiver listens there: a test of the endpoint fails at once.
const endpoint = () => ({
  url: `http://127.0.0.1:9/${fill(2000)}`,
  types,
  include: ['resource'],
  description: fill(255),
});

/** Returns a batch of 100 orders, which have 1,000 items in all. Each has an id, or for a new one a key. */
const batchOf = (isImport: boolean, order: (at: number) => object): Body => ({
  import: isImport,
  orders: Array.from({ length: 100 }, (_, at) => {
    const { id, ...rest } = { id: randomUUIDv7(), items: items.slice(0, 10), ...order(at) };
    return isImport ? { order: { id, ...rest } } : { idempotency_key: id, order: rest };
  }),
});
const ORDERS: Readonly<Record<string, (at: number) => object>> = {
  'all new': () => ({}),
  'all existing': (at) => ({ id: `01900000-0000-7000-8000-${String(at).padStart(12, '0')}` }),
  'with references that are taken': (at) => ({ reference: `taken-${at}` }),
  'one with a reference that is taken': (at) => (at === 50 ? { reference: 'taken-0' } : {}),
  'all invalid': () => ({ items: [{ sku: '', quantity: 0 }] }),
};

/** Valid bodies whose work is another one than that of the largest, by the id of the operation. The first round stores them. */
const OTHER_BODIES: Readonly<Record<string, Route['bodies']>> = {
  create_order_batch: Object.fromEntries(
    Object.entries(ORDERS).flatMap(([name, order]) => [
      [`orders, ${name}`, () => batchOf(false, order)],
      [`imports, ${name}`, () => batchOf(true, order)],
    ]),
  ),
};

/** The largest valid queries of operations that have parameters besides those of pages. */
const LARGEST_QUERIES: Readonly<Record<string, string>> = {
  get_order_statistics:
    '?interval=month&from=1900-01-01T00:00:00Z&before=2099-12-31T00:00:00Z&time_zone=America/New_York',
};

/** The largest valid bodies, by the id of the operation. */
const LARGEST_BODIES: Readonly<Record<string, (targets: Targets) => Body>> = {
  place_order: ({ buyer }) => ({
    items,
    adjustments: items.map((_, item) => ({ ...adjustment, item })),
    customer_id: buyer,
    reference: `${fill(28)}${randomUUIDv7()}`,
    note: fill(2000),
    metadata: metadata('a'),
  }),
  change_order: ({ buyer }) => ({
    customer_id: buyer,
    reference: `${fill(28)}${randomUUIDv7()}`,
    note: `${randomUUIDv7()}${fill(1900)}`,
    metadata: { ...metadata('a'), ...Object.fromEntries(Object.keys(metadata('b')).map((name) => [name, null])) },
  }),
  cancel_order: (targets) => ({ ...ofItems(targets), reason: fill(500) }),
  adjust_order: (targets) => ({ adjustments: ofItems(targets).adjustments }),
  add_items: () => ({ items, adjustments: items.map((_, item) => ({ ...adjustment, item })) }),
  fulfill_items: (targets) => ({
    ...ofItems(targets),
    tracking: { carrier: fill(255), number: fill(255), url: fill(255) },
  }),
  return_items: (targets) => ({ ...ofItems(targets), reason: fill(500) }),
  create_order_batch: () => batchOf(false, () => ({})),
  search_customers: () => ({ email: email() }),
  erase_person: () => ({ email: email() }),
  list_person_data: () => ({ email: email() }),
  search_orders: () => ({ buyer_email: email(), limit: 100 }),
  create_customer: () => ({ email: email(), name: fill(255), metadata: metadata('a') }),
  change_customer: () => ({ email: email(), name: fill(255), metadata: metadata('a') }),
  create_webhook_endpoint: endpoint,
  change_webhook_endpoint: () => ({ ...endpoint(), status: 'enabled' }),
  rotate_webhook_secret: () => ({ overlap_seconds: 0 }),
  redeliver_webhook_event: () => ({ event_id: randomUUIDv7() }),
};

/** Nothing is delivered during a run, so that no delivery can be repeated, and the order has as many items as it can have. */
const STATUSES: Readonly<Record<string, number>> = { redeliver_webhook_event: 404, add_items: 409, '/v1/unknown': 404 };

/** Counts the elements of the lists of a value, at all levels. */
function elementsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((sum: number, each) => sum + elementsIn(each), own);
}

const NO_ID = '00000000-0000-7000-8000-000000000000';

export const NO_TARGETS: Targets = {
  orders: NO_ID,
  customers: NO_ID,
  webhook_endpoints: NO_ID,
  buyer: '',
  items: Array<string>(100).fill(''),
  fulfillment_id: '',
};

/** What surrounds the API. */
const PAGES = '/ /docs /openapi.json /problems /problems/validation-failed /livez /readyz /v1/unknown'.split(' ');

/** Returns the routes of an OpenAPI document, and the pages around the API. */
export function routesOf(document: unknown): readonly Route[] {
  const operations = operationsOf(document).map((operation): Route => {
    const { id, method, body: ofDocument } = operation;
    const inQuery = operation.parameters.filter(({ place }) => place === 'query');
    const parameters = inQuery.map(({ name }) => name);
    const body = LARGEST_BODIES[id];
    if (ofDocument && !body) throw new Error(`no largest body of ${id} is known`);
    const isPage = parameters.includes('limit');
    const query = LARGEST_QUERIES[id] ?? (isPage ? '?limit=100' : '');
    const unknown = inQuery.find(({ name, required }) => required && !query.includes(`${name}=`));
    if (unknown) throw new Error(`no value of ${unknown.name} of ${id} is known`);
    const elements = isPage ? 100 : elementsIn(body?.(NO_TARGETS));
    const known = { id, method, parameters, type: ofDocument?.types[0], query, status: STATUSES[id] };
    return { ...pageOf(`/v1${operation.path}`), ...known, body, bodies: OTHER_BODIES[id] ?? {}, elements };
  });
  return [...operations, ...PAGES.map(pageOf)];
}

function pageOf(path: string): Route {
  const none = { parameters: [], type: undefined, query: '', bodyLimit: 0, body: undefined, bodies: {}, elements: 0 };
  return { ...none, id: path, method: 'GET', path, status: STATUSES[path] };
}

/** The page with the document. */
export const DOCUMENT = pageOf('/openapi.json');
