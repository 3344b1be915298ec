import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { CustomerNotFound } from '../customers/customer-errors.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { ORDERS } from '../orders/order-lifecycle.ts';
import { parseOrderQuery } from '../orders/order-query.ts';
import type { OrderPorts } from '../orders/order-repository.ts';
import type { OrderVersion } from '../orders/order-version.ts';
import type { Order } from '../orders/order.ts';
import { isTimestamp, type Timestamp } from '../shared/clock.ts';
import { isUuid, type Owner, type ResourceId } from '../shared/ids.ts';
import { type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';

/** One line of what is stored of a customer: the customer, or one of its orders, or one version of an order. */
export type CustomerDataLine<D extends OrderDefinition = typeof ORDERS> =
  | ({ readonly kind: 'customer' } & Customer)
  | ({ readonly kind: 'order' } & Order<D>)
  | ({ readonly kind: 'order_version'; readonly order_id: string } & OrderVersion<D>);

/** Unvalidated position and size of a page of lines. The value of a position is opaque. */
export type CustomerDataQueryInput = Omit<PageWindowInput<string>, 'offset'>;

/** The errors of reading what is stored of a customer. */
export type ReadCustomerDataError = CustomerNotFound | ValidationFailed | Unavailable;

/**
 * Returns one page of everything that is stored of a customer: the customer, then its orders by their creation, each
 * followed by its versions, newest first. A page ends with the versions of an order, or when it has `limit` lines, but for
 * the customer.
 */
export function readCustomerData(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: CustomerDataQueryInput = {},
): ResultAsync<Page<CustomerDataLine<OrderDefinition>, string>, ReadCustomerDataError> {
  return parseCustomerDataQuery(input).asyncAndThen(({ limit, after }) =>
    getAggregate(ports.customers, owner, id, 'customer_not_found').andThen(
      (customer) => new ResultAsync(readLines(ports, owner, customer, limit, after)),
    ),
  );
}

/** Where a page ends: behind a version of an order, or behind all of them. */
interface Place {
  readonly created_at: Timestamp;
  readonly version: number | null;
}

async function readLines(
  ports: OrderPorts,
  owner: Owner,
  customer: Customer,
  limit: number,
  after: Position<string> | null,
): Promise<Result<Page<CustomerDataLine<OrderDefinition>, string>, Unavailable>> {
  const lines: CustomerDataLine<OrderDefinition>[] = after ? [] : [{ kind: 'customer', ...customer }];
  const place = after && parsePlace(after.value);
  let id = after?.id;
  let created_at = place?.created_at;
  let version = place?.version ?? null;
  if (version === null) {
    const found = await listNext(ports, owner, customer.id, created_at, id);
    if (found.isErr()) return err(found.error);
    if (!found.value) return ok({ data: lines, next: null });
    ({ id, created_at } = found.value);
    version = Number.MAX_SAFE_INTEGER;
    lines.push({ kind: 'order', ...found.value });
  }
  if (id === undefined || created_at === undefined) return ok({ data: lines, next: null });
  const query = { limit, after: { value: version, id }, at: null };
  const page = await ports.orders.listVersions(owner, id, query).orElse((error) =>
    // Its last versions are purged.
    error.type === 'order_not_found' ? ok({ data: [], next: null }) : err(error),
  );
  if (page.isErr()) return err(page.error);
  const order_id = id;
  lines.push(...page.value.data.map((each) => ({ kind: 'order_version' as const, order_id, ...each })));
  if (page.value.next) return ok({ data: lines, next: { value: `${created_at} ${page.value.next.value}`, id } });
  const following = await listNext(ports, owner, customer.id, created_at, id);
  return following.map((order) => ({ data: lines, next: order && { value: created_at, id: order_id } }));
}

/** Returns the next order of a customer behind a position, or `null`. */
function listNext(
  { orders, definition }: OrderPorts,
  owner: Owner,
  customer_id: string,
  value: Timestamp | undefined,
  id: string | undefined,
): ResultAsync<Order<OrderDefinition> | null, Unavailable> {
  const after = value === undefined || id === undefined ? undefined : { value, id };
  const query = parseOrderQuery({ customer_id, sort: 'created_at', limit: 1, after }, definition);
  if (query.isErr()) throw new TypeError('the position of an order is validated before');
  return orders.list(owner, query.value).map(({ data: [first] }) => first ?? null);
}

/** Parses a query for a page of lines and reports every invalid member. */
export function parseCustomerDataQuery(
  input: CustomerDataQueryInput,
): Result<{ limit: number; after: Position<string> | null }, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, ['limit', 'after']);
  const isPosition = ({ value, id }: Position<string>) => isUuid(id) && isTimestamp(parsePlace(value).created_at);
  const { limit, after } = readPageWindow(query, isPosition, invalid);
  return invalid.toResult({ limit, after });
}

function parsePlace(value: string): Place {
  const [created_at = '', version] = value.split(' ');
  return { created_at, version: version === undefined ? null : Number(version) };
}
