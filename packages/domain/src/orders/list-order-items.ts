import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { frozen } from '../shared/frozen.ts';
import type { Owner } from '../shared/ids.ts';
import { invalidField, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { type Page, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, PAGE_OFFSET_MAX, type Position } from '../shared/page.ts';
import { type GetOrderError, getOrder } from './get-order.ts';
import type { LineItem } from './line-item.ts';

/** What a page of items is asked by. `offset` and `after` exclude each other. */
export interface ItemQueryInput {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Begin behind this line; its value is the line's index. */
  readonly after?: Position<number> | undefined;
}

/** Why the items of an order are not listed. */
export type ListOrderItemsError = GetOrderError | ValidationFailed;

/** One page of an order's items, in line order. Items never change, so pages fit together whatever happens between. */
export function listOrderItems(
  ports: Ports,
  owner: Owner,
  id: string,
  input: ItemQueryInput = {},
): ResultAsync<Page<LineItem, number>, ListOrderItemsError> {
  const stretch = parseItemQuery(input);
  if (stretch.isErr()) return errAsync(stretch.error);
  const { start, limit } = stretch.value;
  const { after } = input;
  return getOrder(ports, owner, id).andThen(({ items }) => {
    // Not before the order is known to be the owner's: refusing a position tells that it is not of this order.
    if (after && items[after.value]?.id !== after.id.toLowerCase()) return err(NOT_OF_ORDER);
    const data = items.slice(start, start + limit);
    const [last, following] = items.slice(start + limit - 1);
    return ok({ data, next: last && following ? { value: start + limit - 1, id: last.id } : null });
  });
}

const NOT_OF_ORDER = frozen(invalidField('after', 'invalid_value', 'must be a position in this order'));

/** Judges a query, naming every bad part of it. */
export function parseItemQuery(input: ItemQueryInput): Result<{ start: number; limit: number }, ValidationFailed> {
  const invalid = new InvalidFields();
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0, after } = input;
  invalid.integer(limit, 'limit', 1, PAGE_LIMIT_MAX);
  invalid.integer(offset, 'offset', 0, PAGE_OFFSET_MAX);
  if (after !== undefined && !(Number.isSafeInteger(after.value) && after.value >= 0)) {
    invalid.add('after', 'invalid_value', 'must be a position that a page ended at');
  }
  if (after !== undefined && input.offset !== undefined) {
    invalid.add('offset', 'invalid_value', 'cannot be combined with after');
  }
  return invalid.failure ? err(invalid.failure) : ok({ start: after ? after.value + 1 : offset, limit });
}
