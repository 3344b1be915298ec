import { err, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { CustomerNotFound } from '../customers/customer-errors.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { type OrderQueryInput, parseOrderQuery } from '../orders/order-query.ts';
import type { OrderComment } from '../orders/order-comment.ts';
import type { OrderPorts } from '../orders/order-repository.ts';
import { isVersion, type OrderVersion } from '../orders/order-version.ts';
import type { AnyOrder, Order } from '../orders/order.ts';
import { isTimestamp, type Timestamp } from '../shared/clock.ts';
import { isUuid, type Owner, type ResourceId } from '../shared/ids.ts';
import { checkPosition, type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';

/** One line of what is stored of a customer: the customer, or one of its orders, or a version or comment of an order. */
export type CustomerDataLine<D extends OrderDefinition = OrderDefinition> =
  | ({ readonly kind: 'customer' } & Customer)
  | ({ readonly kind: 'order' } & Order<D>)
  | ({ readonly kind: 'order_version'; readonly order_id: string } & OrderVersion<D>)
  | ({ readonly kind: 'order_comment'; readonly order_id: string } & OrderComment);

/** Unvalidated position and size of a page of lines. The value of a position is opaque; its id is that of the customer. */
export type CustomerDataQueryInput = Omit<PageWindowInput<string>, 'offset'>;

/** The errors of reading what is stored of a customer. */
export type ReadCustomerDataError = CustomerNotFound | ValidationFailed | Unavailable;

/**
 * Returns one page of everything that is stored of a customer: the customer, then its orders by their creation, each
 * followed by its versions, newest first, and its comments, oldest first. A page ends with the comments of an order, or when it
 * has `limit` versions or {@link COMMENTS_PER_PAGE} comments.
 */
export function readCustomerData(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: CustomerDataQueryInput = {},
): ResultAsync<Page<CustomerDataLine, string>, ReadCustomerDataError> {
  return parseCustomerDataQuery(input).asyncAndThen(({ limit, after }) =>
    getAggregate(ports.customers, owner, id, 'customer_not_found')
      .andThen((customer) => checkPosition(after, customer.id).map(() => customer))
      .andThen(
        (customer) => new ResultAsync(readLines(ports, owner, customer, limit, after && parsePlace(after.value))),
      ),
  );
}

/** Where a page ends: behind a version or a comment of an order, or behind all of them. */
interface Place {
  readonly created_at: Timestamp;
  readonly order_id: string;
  readonly version: number | null;
  readonly comment: string | null;
}

async function readLines(
  ports: OrderPorts,
  owner: Owner,
  customer: Customer,
  limit: number,
  place: Place | null | undefined,
): Promise<Result<Page<CustomerDataLine, string>, Unavailable>> {
  const lines: CustomerDataLine[] = place ? [] : [{ kind: 'customer', ...customer }];
  const isWithin = place && (place.version ?? place.comment) !== null;
  const begun = isWithin ? await findBegun(ports, owner, customer.id, place.order_id) : ok(null);
  if (begun.isErr()) return err(begun.error);
  const found = begun.value ? begun : await listNext(ports, owner, customer.id, place);
  if (found.isErr()) return err(found.error);
  const order = found.value;
  if (!order) return ok({ data: lines, next: null });
  if (!begun.value) lines.push({ kind: 'order', ...order });
  const { id: order_id, created_at } = order;
  const within = begun.value && place;
  const part = await readParts(ports, owner, order_id, limit, within ?? FROM_THE_FIRST);
  if (part.isErr()) return err(part.error);
  lines.push(...part.value.lines);
  const end = { value: `${created_at} ${order_id}`, id: customer.id };
  if (part.value.next !== null) return ok({ data: lines, next: { ...end, value: `${end.value} ${part.value.next}` } });
  const following = await listNext(ports, owner, customer.id, { created_at, order_id });
  return following.map((each) => ({ data: lines, next: each && end }));
}

/** Comments of a page. */
const COMMENTS_PER_PAGE = 50;

/** Where the versions of an order begin: the newest. */
export const FROM_THE_FIRST = { version: null, comment: null } as const;

/**
 * Returns lines of an order: its versions below one of them, and behind the last its comments, or comments behind one of them.
 * `next` is the version or the comment behind which more follow; `null` if none do.
 */
export async function readParts(
  { orders }: Pick<OrderPorts, 'orders'>,
  owner: Owner,
  order_id: string,
  limit: number,
  { version, comment: after }: Pick<Place, 'version' | 'comment'>,
): Promise<
  Result<{ readonly lines: readonly CustomerDataLine[]; readonly next: number | string | null }, Unavailable>
> {
  const lines: CustomerDataLine[] = [];
  if (after === null) {
    const below = { value: version ?? Number.MAX_SAFE_INTEGER, id: order_id };
    const page = await orders.listVersions(owner, order_id, { limit, after: below, at: null }).orElse((error) =>
      // Its last versions are purged.
      error.type === 'order_not_found' ? ok({ data: [], next: null }) : err(error),
    );
    if (page.isErr()) return err(page.error);
    lines.push(...page.value.data.map((each) => ({ kind: 'order_version' as const, order_id, ...each })));
    if (page.value.next) return ok({ lines, next: page.value.next.value });
  }
  const window = { after, limit: COMMENTS_PER_PAGE };
  const comments = await (orders.listComments?.(owner, order_id, window) ?? okAsync([]));
  return comments.map((found) => {
    lines.push(...found.map((each) => ({ kind: 'order_comment' as const, order_id, ...each })));
    return { lines, next: found.length < COMMENTS_PER_PAGE ? null : (found.at(-1)?.id ?? null) };
  });
}

/** Returns the order of a position, or `null` if the customer no longer has it, or never had: a client can make one up. */
function findBegun(ports: OrderPorts, owner: Owner, customer_id: string, id: string) {
  return listFirst(ports, owner, { customer_id, ids: [id] });
}

/** Returns the next order of a customer behind a place, or `null`. */
function listNext(
  ports: OrderPorts,
  owner: Owner,
  customer_id: string,
  place: Pick<Place, 'created_at' | 'order_id'> | null | undefined,
) {
  const after = place ? { value: place.created_at, id: place.order_id } : undefined;
  return listFirst(ports, owner, { customer_id, sort: 'created_at', after });
}

function listFirst(
  { orders, definition }: OrderPorts,
  owner: Owner,
  input: OrderQueryInput,
): ResultAsync<AnyOrder | null, Unavailable> {
  const query = parseOrderQuery({ ...input, limit: 1 }, definition);
  if (query.isErr()) throw new TypeError('the position of an order is validated before');
  return orders.list(owner, query.value).map(({ data: [first] }) => first ?? null);
}

/** Parses a query for a page of lines and reports every invalid member. */
export function parseCustomerDataQuery(
  input: CustomerDataQueryInput,
): Result<{ limit: number; after: Position<string> | null }, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, ['limit', 'after']);
  const isPosition = ({ value, id }: Position<string>) => isUuid(id) && parsePlace(value) !== undefined;
  const { limit, after } = readPageWindow(query, isPosition, invalid);
  return invalid.toResult({ limit, after });
}

/** Parses the value of a position: a time, the id of an order and, within its versions or comments, one of them. */
function parsePlace(text: string): Place | undefined {
  const [created_at = '', order_id = '', part, ...rest] = text.split(' ');
  if (!isTimestamp(created_at) || !isUuid(order_id) || rest.length > 0) return undefined;
  if (part === undefined) return { created_at, order_id, ...FROM_THE_FIRST };
  if (isUuid(part)) return { created_at, order_id, version: null, comment: part };
  const version = Number(part);
  return `${version}` === part && isVersion(version) ? { created_at, order_id, version, comment: null } : undefined;
}
