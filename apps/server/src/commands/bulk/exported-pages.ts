import {
  type Customer,
  type Domain,
  type Order,
  type OrderDefinition,
  type OrderQueryInput,
  type Page,
  type Position,
  type PresentedOrder,
  type PresentedOrderVersion,
  untyped,
} from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { OperatorError, reasonOf } from '../../operator-error.ts';

/** An order of a definition that is known only when the program runs. */
export type AnyOrder = Order<OrderDefinition>;

/** What an export consists of. */
export type Exported =
  | { readonly kind: 'customer'; readonly value: Customer }
  | { readonly kind: 'order'; readonly value: AnyOrder }
  | {
      readonly kind: 'version';
      readonly value: PresentedOrderVersion<OrderDefinition> & { readonly order_id: string };
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

/** The error of a list, whose query was validated before. */
interface ListFailed {
  readonly type: string;
  readonly cause?: unknown;
}

/** Elements of a page of the largest size. */
const LIMIT = 100;

/**
 * Reads all customers of an owner and then its orders, each as it is when its page is read, by pages of bounded size.
 *
 * @throws {OperatorError} the database query failed
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
      yield page.map((value) => ({ kind: 'customer', value }));
  const on = untyped(domain);
  const query = { ...selection.orders, limit: LIMIT };
  for await (const page of pagesOf((after?: Position<string>) => on.listOrders(owner, { ...query, after }))) {
    if (!selection.versions) yield page.map(storedOf);
    else
      for (const order of page) {
        yield [storedOf(order)];
        yield* versionsOf(domain, owner, order.id);
      }
  }
}

/** Returns an order without what only follows from its status. */
function storedOf(order: PresentedOrder<OrderDefinition>): Exported {
  const { available_transitions: _, ...value } = order;
  return { kind: 'order', value };
}

async function* versionsOf(
  domain: Domain<OrderDefinition>,
  owner: string,
  order_id: string,
): AsyncGenerator<readonly Exported[]> {
  const pages = pagesOf((after?: Position<number>) =>
    domain.listOrderVersions(owner, order_id, { limit: LIMIT, after }),
  );
  for await (const page of pages) yield page.map((version) => ({ kind: 'version', value: { order_id, ...version } }));
}

/** Reads pages from the first to the last. The next one is read while the caller uses a page. */
async function* pagesOf<T, Value>(
  read: (after?: Position<Value>) => ResultAsync<Page<T, Value>, ListFailed>,
): AsyncGenerator<readonly T[]> {
  for (let reading: ReturnType<typeof read> | null = read(); reading !== null;) {
    const page: Page<T, Value> = (await reading).match(
      (found) => found,
      (error) => {
        throw failureOf(error);
      },
    );
    reading = page.next === null ? null : read(page.next);
    yield page.data;
  }
}

/** Returns the error for the operator. A list is either unavailable, or its order was deleted meanwhile. */
function failureOf(error: ListFailed): OperatorError {
  return new OperatorError([`the database query failed: ${reasonOf(error.cause ?? error.type)}`], {
    cause: error.cause,
  });
}
