import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { deepFreeze } from '../shared/frozen.ts';
import type { Owner } from '../shared/ids.ts';
import { invalidField, parse, type ValidationFailed } from '../shared/validation.ts';
import { type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import { getOrder, type GetOrderError } from './get-order.ts';
import type { LineItem } from './line-item.ts';

/** Which part of an order's items a caller wants; the value of a position is the line's index. */
export type ItemQueryInput = PageWindowInput<number>;

/** Why the items of an order are not listed. */
export type ListOrderItemsError = GetOrderError | ValidationFailed;

/** One page of an order's items, in line order. Items never change, so pages fit together whatever happens between. */
export function listOrderItems(
  ports: Ports,
  owner: Owner,
  id: string,
  input: ItemQueryInput = {},
): ResultAsync<Page<LineItem, number>, ListOrderItemsError> {
  return parseItemQuery(input).asyncAndThen(({ start, limit }) =>
    getOrder(ports, owner, id).andThen(({ items }) => {
      const { after } = input;
      // Not before the order is known to be the owner's: refusing a position tells that it is not of this order.
      if (after && items[after.value]?.id !== after.id.toLowerCase()) return err(UNKNOWN_POSITION);
      const data = items.slice(start, start + limit);
      const [last, following] = items.slice(start + limit - 1);
      return ok({ data, next: last && following ? { value: start + limit - 1, id: last.id } : null });
    }),
  );
}

const UNKNOWN_POSITION = deepFreeze(invalidField('after', 'invalid_value', 'must be a position in this order'));

/** Parses a query, reporting every invalid part of it. */
export function parseItemQuery(input: ItemQueryInput): Result<{ start: number; limit: number }, ValidationFailed> {
  return parse((invalid) => {
    const { limit, offset, after } = readPageWindow(input, isItemPosition, invalid);
    return { start: after ? after.value + 1 : offset, limit };
  });
}

function isItemPosition({ value }: Position<number>): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
