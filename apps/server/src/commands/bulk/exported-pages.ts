import {
  type AnyOrder,
  type Customer,
  type Domain,
  erasedFor,
  type OrderDefinition,
  type OrderQueryInput,
  type Page,
  type Position,
  type PresentedOrder,
  type PresentedOrderVersion,
  untyped,
  withoutPersonalData,
} from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { databaseResult } from '../database-result.ts';

/** What an export consists of. */
export type Exported =
  | { readonly kind: 'customer'; readonly value: Customer }
  | { readonly kind: 'order'; readonly value: AnyOrder }
  | {
      readonly kind: 'version';
      readonly value: PresentedOrderVersion & { readonly order_id: string };
    };

/** What to export. */
export interface Selection {
  /** Which orders. All customers are exported, as orders refer to them. */
  readonly orders: OrderQueryInput;
  /** Whether each order is followed by its versions, newest first. */
  readonly versions: boolean;
  /** Whether customers are exported, too. */
  readonly customers: boolean;
}

/** Elements of a page of the largest size. */
const LIMIT = 100;

/**
 * Reads all customers of an owner and then its orders, each as it is when its page is read, by pages of bounded size.
 *
 * @throws {OperatorError} the database query failed, or an order was deleted meanwhile
 */
export async function* exportedPages(
  domain: Domain<OrderDefinition>,
  owner: string,
  selection: Selection,
): AsyncGenerator<readonly Exported[]> {
  if (selection.customers)
    for await (const page of pagesOf((after?: Position<string>) =>
      domain.listCustomers(owner, { sort: 'created_at', limit: LIMIT, after }),
    ))
      yield page.map((value) => ({ kind: 'customer', value: asDone(value) }));
  const on = untyped(domain);
  const query = { ...selection.orders, limit: LIMIT };
  for await (const page of pagesOf((after?: Position<string>) => on.listOrders(owner, { ...query, after }))) {
    const orders = await asErased(domain, owner, page.map(storedOf));
    if (!selection.versions) yield orders.map((value) => ({ kind: 'order', value }));
    else
      for (const [index, value] of orders.entries()) {
        yield [{ kind: 'order', value }];
        yield* versionsOf(domain, owner, value.id, value.version !== page[index]?.version);
      }
  }
}

/** Returns an order without what only follows from its status. */
function storedOf(order: PresentedOrder<OrderDefinition>): AnyOrder {
  const { available_transitions: _, ...value } = order;
  return value;
}

/** Returns a customer as at the end of the erasure: in an export, its orders are erased. */
function asDone(customer: Customer): Customer {
  return customer.erasure ? { ...customer, erasure: { status: 'done' } } : customer;
}

/** Returns orders as pending erasures of their customers leave them: an import takes no other ones of erased customers. */
async function asErased(
  { listCustomers }: Pick<Domain<OrderDefinition>, 'listCustomers'>,
  owner: string,
  orders: readonly AnyOrder[],
): Promise<readonly AnyOrder[]> {
  const ids = [...new Set(orders.flatMap(({ customer_id }) => customer_id ?? []))];
  if (ids.length === 0) return orders;
  const { data } = await databaseResult(listCustomers(owner, { ids, limit: LIMIT }));
  const erased = new Map(data.flatMap((customer) => (customer.erasure ? [[customer.id, customer]] : [])));
  return orders.map((order) => {
    const customer = erased.get(order.customer_id ?? '');
    return customer ? erasedFor(order, customer) : order;
  });
}

async function* versionsOf(
  domain: Domain<OrderDefinition>,
  owner: string,
  order_id: string,
  isErased: boolean,
): AsyncGenerator<readonly Exported[]> {
  const pages = pagesOf((after?: Position<number>) =>
    domain.listOrderVersions(owner, order_id, { limit: LIMIT, after }),
  );
  for await (const page of pages)
    yield page.map((version) => {
      const { order } = version;
      const erased = isErased && { reason: null, order: order && { ...order, ...withoutPersonalData(order) } };
      return { kind: 'version', value: { order_id, ...version, ...erased } };
    });
}

/** Reads pages from the first to the last. The next one is read while the caller uses a page. */
async function* pagesOf<T, Value>(
  read: (after?: Position<Value>) => ResultAsync<Page<T, Value>, { readonly type: string }>,
): AsyncGenerator<readonly T[]> {
  for (let reading: ReturnType<typeof read> | null = read(); reading !== null;) {
    const page: Page<T, Value> = await databaseResult(reading);
    reading = page.next === null ? null : read(page.next);
    yield page.data;
  }
}
