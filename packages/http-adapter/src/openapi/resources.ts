import type { ErrorCode } from '../problems/catalog.ts';

/** A kind of resource in the document. */
interface Resource {
  /** The path of its collection. */
  readonly collection: string;
  /** The paths of what has its criteria or several of the resources in the body. Default: none. */
  readonly searches?: readonly string[];
  /** The problem of an operation on a resource that does not exist. */
  readonly notFound?: ErrorCode;
  /** Begins the names of its components. */
  readonly name: string;
  readonly words: string;
  /** The tag of its operations, by which documents and generated clients group them. */
  readonly tag: { readonly name: string; readonly description: string };
}

const RESOURCES: readonly Resource[] = [
  {
    collection: '/orders',
    searches: ['/order_batches', '/order_searches'],
    notFound: 'order_not_found',
    name: 'Order',
    words: 'order',
    tag: { name: 'Orders', description: 'Orders, their items, charges and fulfillments' },
  },
  {
    collection: '/customers',
    searches: ['/customer_searches'],
    notFound: 'customer_not_found',
    name: 'Customer',
    words: 'customer',
    tag: { name: 'Customers', description: 'Customers that orders can refer to' },
  },
  {
    collection: '/erasures',
    searches: ['/person_data'],
    notFound: 'erasure_not_found',
    name: 'Erasure',
    words: 'erasure',
    tag: {
      name: 'Erasures',
      description: 'Persons found by email, also guests: what is stored of them, and its erasure',
    },
  },
  {
    collection: '/events',
    name: 'Event',
    words: 'event',
    tag: { name: 'Events', description: 'Changes as a feed' },
  },
  {
    collection: '/order_statistics',
    name: 'OrderStatistics',
    words: 'order statistics',
    tag: { name: 'Statistics', description: 'Figures of orders' },
  },
  {
    collection: '/webhook_endpoints',
    notFound: 'webhook_endpoint_not_found',
    name: 'WebhookEndpoint',
    words: 'webhook endpoint',
    tag: { name: 'Webhooks', description: 'URLs that receive events, and the requests that they receive' },
  },
  {
    collection: '/admin/v1/sessions',
    name: 'OperatorSession',
    words: 'session',
    tag: { name: 'Sessions', description: 'Sessions of operators' },
  },
  {
    collection: '/admin/v1/api_keys',
    searches: ['/admin/v1/api_key_changes', '/admin/v1/client_certificates', '/admin/v1/client_certificate_changes'],
    name: 'Credential',
    words: 'credential',
    tag: { name: 'Credentials', description: 'API keys and client certificates of owners' },
  },
  {
    collection: '/admin/v1/deliveries',
    searches: ['/admin/v1/webhook_endpoints'],
    name: 'DeliveryOfOwner',
    words: 'delivery',
    tag: { name: 'Deliveries', description: 'Webhooks of all owners' },
  },
  {
    collection: '/admin/v1/jobs',
    name: 'Job',
    words: 'job',
    tag: { name: 'Jobs', description: 'What acts on all that matches a filter' },
  },
  {
    collection: '/admin',
    name: 'Operator',
    words: 'operator',
    tag: { name: 'Operators', description: 'Operators, and what they did' },
  },
];

/**
 * Returns the kind of resource of a path.
 *
 * @throws {Error} when the path belongs to none
 */
export function resourceOf(path: string): Resource {
  const resource = RESOURCES.find(
    ({ collection, searches = [] }) => [collection, ...searches].includes(path) || path.startsWith(`${collection}/`),
  );
  if (resource) return resource;
  throw new Error(`no resource of the OpenAPI document has the path ${path}: add it to resources.ts`);
}

/** Returns the tags of the operations with these paths, in the order of the resources. */
export function tagsOf(paths: readonly string[]): readonly Resource['tag'][] {
  const used = new Set(paths.map(resourceOf));
  return RESOURCES.filter((resource) => used.has(resource)).map(({ tag }) => tag);
}
