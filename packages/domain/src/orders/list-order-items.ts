import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { OrderPorts } from './order-repository.ts';
import { deepFreeze } from '../shared/frozen.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { invalidField, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { PAGE_WINDOW, type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import { getOrder, type GetOrderError } from './get-order.ts';
import type { LineItem } from './line-item.ts';

/** Unvalidated position and size of a page of items. The value of a position is the index of the line. */
export type ItemQueryInput = PageWindowInput<number>;

/** The errors of listing the items of an order. */
export type ListOrderItemsError = GetOrderError | ValidationFailed;

/** Returns one page of the items of an order, in line order. Items never change, so pages stay consistent. */
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

/** The error for a position of another order. */
export const UNKNOWN_POSITION = deepFreeze(invalidField('after', 'invalid_value', 'must be a position in this order'));

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
