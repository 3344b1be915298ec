import type { DefaultDefinition, Definition } from './definition.ts';
import type { Listing, SortedQuery } from './listing.ts';
import type { RequestOptions } from './options.ts';
import type { Customer, Order } from './schemas.ts';

/** A line of an export, which an import reads. */
export type ExportLine<D extends Definition = DefaultDefinition> =
  | ({ readonly kind: 'customer' } & Customer)
  | ({ readonly kind: 'order' } & Omit<Order<D>, 'available_transitions'>);

/** The lists that an export reads. */
interface Lists<D extends Definition, Query> {
  readonly list: (query: Query & typeof ALL) => Listing<Order<D>, unknown>;
  readonly customers: (query?: SortedQuery) => Listing<Customer, unknown>;
}

/** Every page has as many as possible. */
const ALL = { sort: 'created_at', limit: 100 } as const;

/**
 * Returns the lines of all customers, to which orders refer, and then those of the orders that match a query. Orders of a
 * customer whose erasure is pending have no personal data: an import takes no other ones of an erased customer.
 */
export async function* exported<D extends Definition, Query extends RequestOptions>(
  { list, customers }: Lists<D, Query>,
  query: Query,
): AsyncGenerator<ExportLine<D>, void, undefined> {
  const { signal } = query;
  const erasing = new Map<string, string>();
  for await (const customer of customers({ ...ALL, signal })) {
    const { id, erased_at, erasure } = customer;
    if (erased_at !== null && erasure?.status === 'pending') erasing.set(id, erased_at);
    yield { kind: 'customer', ...customer, erasure: erasure && { status: 'done' } };
  }
  for await (const order of list({ ...query, ...ALL })) {
    const { available_transitions: _, ...stored } = order;
    const erased_at = erasing.get(stored.customer_id ?? '');
    yield { kind: 'order', ...stored, ...(erased_at !== undefined && erasedMembers(order, erased_at)) };
  }
}

/** The members of an order that {@link erasedMembers} reads. */
type Erasable = Pick<Order, 'created_at' | 'updated_at' | 'erased_at' | 'fulfillments'>;

/** Returns the members of an order that an erasure at a time changes, as it leaves them. */
function erasedMembers(order: Erasable, time: string) {
  const erased_at = latest(time, order.created_at, order.erased_at ?? time);
  return {
    buyer: null,
    shipping_address: null,
    billing_address: null,
    note: null,
    metadata: {},
    cancel_reason: null,
    ...('custom' in order && { custom: null }),
    fulfillments: order.fulfillments.map((fulfillment) => ({ ...fulfillment, tracking: null })),
    updated_at: latest(erased_at, order.updated_at),
    erased_at,
  };
}

/** Returns the last of some times, which sort as text. */
function latest(first: string, ...others: readonly string[]): string {
  return others.reduce((last, time) => (last < time ? time : last), first);
}
