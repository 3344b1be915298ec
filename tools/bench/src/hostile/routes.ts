import { randomUUIDv7 } from 'node:crypto';
import { z } from 'zod';

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
const adjustment = { type: 'tax', name: fill(255), amount: { amount: 1000, currency: 'EUR' }, included: true };
/** One of each item, and as many adjustments. */
const ofItems = ({ items: ids }: Targets) => ({
  items: ids.map((item_id) => ({ item_id, quantity: 1 })),
  adjustments: ids.map((item_id) => ({ ...adjustment, item_id })),
});
const email = () => `${fill(64)}@${fill(150)}${randomUUIDv7()}.de`;
const types = [
  'order.placed',
  'order.changed',
  'order.paid',
  'order.shipped',
  'order.delivered',
  'order.cancelled',
  'order.adjusted',
  'order.items_fulfilled',
  'order.items_returned',
  'order.items_cancelled',
  'order.fulfillment_cancelled',
  'order.erased',
  'order.deleted',
  'customer.created',
  'customer.changed',
  'customer.erased',
  'customer.deleted',
  'webhook_endpoint.disabled',
];
// No receiver listens there: a test of the endpoint fails at once.
const endpoint = () => ({
  url: `http://127.0.0.1:9/${fill(2000)}`,
  types,
  include: ['resource'],
  description: fill(255),
});

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
  fulfill_items: (targets) => ({
    ...ofItems(targets),
    tracking: { carrier: fill(255), number: fill(255), url: fill(255) },
  }),
  return_items: (targets) => ({ ...ofItems(targets), reason: fill(500) }),
  create_customer: () => ({ email: email(), name: fill(255), metadata: metadata('a') }),
  change_customer: () => ({ email: email(), name: fill(255), metadata: metadata('a') }),
  create_webhook_endpoint: endpoint,
  change_webhook_endpoint: () => ({ ...endpoint(), status: 'enabled' }),
  rotate_webhook_secret: () => ({ overlap_seconds: 0 }),
  redeliver_webhook_event: () => ({ event_id: randomUUIDv7() }),
};

/** Nothing is delivered during a run, so that no delivery can be repeated. */
const STATUSES: Readonly<Record<string, number>> = { redeliver_webhook_event: 404, '/v1/unknown': 404 };

/** What surrounds the API. */
const PAGES = [
  '/',
  '/docs',
  '/openapi.json',
  '/problems',
  '/problems/validation-failed',
  '/livez',
  '/readyz',
  '/v1/unknown',
];

const Parameter = z.object({ name: z.string(), in: z.string() });
const Operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.union([z.object({ $ref: z.string() }), Parameter])).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
});
const OpenApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ parameters: z.record(z.string(), Parameter) }),
});

/** Returns the routes of an OpenAPI document, and the pages around the API. */
export function routesOf(document: unknown): readonly Route[] {
  const { paths, components } = OpenApi.parse(document);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, written]): readonly Route[] => {
      const operation = Operation.safeParse(written).data;
      if (!operation) return [];
      const { operationId: id, requestBody } = operation;
      const all = operation.parameters.map((each) =>
        '$ref' in each ? components.parameters[each.$ref.split('/').at(-1) ?? ''] : each,
      );
      const parameters = all.flatMap((each) => (each?.in === 'query' ? [each.name] : []));
      const body = LARGEST_BODIES[id];
      if (requestBody && !body) throw new Error(`no largest body of ${id} is known`);
      const query = parameters.includes('limit') ? '?limit=100' : '';
      const [type] = Object.keys(requestBody?.content ?? {});
      const route = pageOf(`/v1${path}`);
      return [{ ...route, id, method: method.toUpperCase(), parameters, type, query, status: STATUSES[id], body }];
    }),
  );
  return [...operations, ...PAGES.map(pageOf)];
}

function pageOf(path: string): Route {
  const none = { parameters: [], type: undefined, query: '', bodyLimit: 0, body: undefined };
  return { ...none, id: path, method: 'GET', path, status: STATUSES[path] };
}

/** The page with the document. */
export const DOCUMENT = pageOf('/openapi.json');
