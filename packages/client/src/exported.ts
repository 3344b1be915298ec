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

/** Returns the lines of all customers, to which orders refer, and then those of the orders that match a query. */
export async function* exported<D extends Definition, Query extends RequestOptions>(
  { list, customers }: Lists<D, Query>,
  query: Query,
): AsyncGenerator<ExportLine<D>, void, undefined> {
  const { signal } = query;
  for await (const customer of customers({ ...ALL, signal })) yield { kind: 'customer', ...customer };
  for await (const order of list({ ...query, ...ALL })) {
    const { available_transitions: _, ...stored } = order;
    yield { kind: 'order', ...stored };
  }
}
