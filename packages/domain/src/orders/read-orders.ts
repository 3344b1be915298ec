import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { Timestamp } from '../shared/clock.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import {
  checkPosition,
  PAGE_WINDOW,
  type PageWindowInput,
  readPageWindow,
  UNKNOWN_POSITION,
} from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { LineItem } from './line-item.ts';
import type { OrderNotFound } from './order-errors.ts';
import { type OrderQueryInput, type OrderQuery, parseOrderQuery, parseOrderSearch } from './order-query.ts';
import type { OrderPorts } from './order-repository.ts';
import { type OrderVersionQueryInput, parseOrderVersionQuery, type VersionNotFound } from './order-version.ts';
import { type PresentedOrder, type PresentedOrderVersion, presentOrder, presentOrderVersion } from './present-order.ts';

/** The errors of reading an order. */
export type GetOrderError = OrderNotFound | Unavailable;

/** Returns one order of the owner, or `order_not_found`. */
export function getOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
): ResultAsync<PresentedOrder<OrderDefinition>, GetOrderError> {
  return getAggregate(ports.orders, owner, id, 'order_not_found').andThen((order) =>
    ok(presentOrder(order, ports.definition)),
  );
}

/** The errors of listing orders. */
export type ListOrdersError = ValidationFailed | Unavailable;

/**
 * Returns one page of the owner's orders. When all pages are read by following `next`, sorted by `created_at`, every
 * order that exists throughout appears exactly once. Sorted by `updated_at`, an order that changes in between may
 * appear twice (ascending) or be missed (descending). With a `status` filter, such an order may leave the list.
 */
export function listOrders(
  ports: OrderPorts,
  owner: Owner,
  input: OrderQueryInput = {},
): ResultAsync<Page<PresentedOrder<OrderDefinition>, Timestamp>, ListOrdersError> {
  return listPage(ports, owner, parseOrderQuery(input, ports.definition));
}

/**
 * Returns one page of the orders whose buyer has an email, newest first, with the guarantees of {@link listOrders} about consecutive
 * pages. `input` is an {@link OrderSearch}.
 */
export function searchOrders(
  ports: OrderPorts,
  owner: Owner,
  input: unknown,
): ResultAsync<Page<PresentedOrder<OrderDefinition>, Timestamp>, ListOrdersError> {
  return listPage(ports, owner, parseOrderSearch(input, ports.definition));
}

function listPage(
  { orders, definition }: OrderPorts,
  owner: Owner,
  parsed: Result<OrderQuery, ValidationFailed>,
): ResultAsync<Page<PresentedOrder<OrderDefinition>, Timestamp>, ListOrdersError> {
  return parsed
    .asyncAndThen((query) => orders.list(owner, query))
    .andThen(({ data, next }) => ok({ data: data.map((order) => presentOrder(order, definition)), next }));
}

/** Unvalidated position and size of a page of items. The value of a position is the index of the line. */
export type ItemQueryInput = PageWindowInput<number>;

/** The errors of listing the items of an order. */
export type ListOrderItemsError = GetOrderError | ValidationFailed;

/** Returns one page of the items of an order, in line order. Items are only appended, so pages stay consistent. */
export function listOrderItems(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: ItemQueryInput = {},
): ResultAsync<Page<LineItem, number>, ListOrderItemsError> {
  return parseItemQuery(input).asyncAndThen(({ start, limit, after }) =>
    getOrder(ports, owner, id).andThen(({ items }) => {
      // Checked after ownership, because rejecting a position reveals which items the order has.
      if (after && items[after.value]?.id !== after.id) return err(UNKNOWN_POSITION);
      const data = items.slice(start, start + limit);
      const [last, following] = items.slice(start + limit - 1);
      return ok({ data, next: last && following ? { value: start + limit - 1, id: last.id } : null });
    }),
  );
}

/** Parses a query for a page of items and reports every invalid member. */
export function parseItemQuery(
  input: ItemQueryInput,
): Result<{ start: number; limit: number; after: Position<number> | null }, ValidationFailed> {
  const invalid = new InvalidFields();
  const { limit, offset, after } = readPageWindow(invalid.readObject(input, PAGE_WINDOW), isItemPosition, invalid);
  return invalid.toResult({ start: after ? after.value + 1 : offset, limit, after });
}

function isItemPosition({ value }: Position<number>): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** The errors of listing the versions of an order. */
export type ListOrderVersionsError = GetOrderError | ValidationFailed;

/**
 * Returns one page of the versions of an order, newest first, also after its deletion. With `at`, the page has only the
 * version that was current at that time; it is empty for a time before the first version. Returns `order_not_found`
 * after all versions were purged.
 */
export function listOrderVersions(
  ports: OrderPorts,
  owner: Owner,
  orderId: string | ResourceId,
  input: OrderVersionQueryInput = {},
): ResultAsync<Page<PresentedOrderVersion, number>, ListOrderVersionsError> {
  return parseOrderVersionQuery(input).asyncAndThen((query) =>
    parseId(orderId, 'order_not_found').asyncAndThen((id) =>
      ports.orders.listVersions(owner, id, query).andThen(({ data, next }) =>
        checkPosition(query.after, id).map(() => ({
          data: data.map((version) => presentOrderVersion(version, ports.definition)),
          next,
        })),
      ),
    ),
  );
}

/** The errors of reading a version of an order. */
export type GetOrderVersionError = VersionNotFound | Unavailable;

/** Returns one version of an order, also after its deletion, or `version_not_found`. */
export function getOrderVersion(
  ports: OrderPorts,
  owner: Owner,
  orderId: string | ResourceId,
  version: number,
): ResultAsync<PresentedOrderVersion, GetOrderVersionError> {
  return parseId(orderId, 'version_not_found')
    .asyncAndThen((id) => ports.orders.findVersion(owner, id, version))
    .map((found) => presentOrderVersion(found, ports.definition));
}
