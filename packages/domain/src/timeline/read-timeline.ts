import type { Result, ResultAsync } from 'neverthrow';
import type { OrderNotFound } from '../orders/order-errors.ts';
import { isVersion } from '../orders/order-version.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import { checkPosition, type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { OrderTimeline, OrderTimelines, TimelineQuery } from './order-timeline.ts';

/** An unvalidated query for a page of a timeline. Every member is optional. */
export type TimelineQueryInput = Omit<PageWindowInput<string>, 'offset'>;

/** The errors of reading a timeline. */
export type ReadTimelineError = OrderNotFound | ValidationFailed | Unavailable;

/** Returns one page of what happened to an order, oldest first, also after its deletion, or `order_not_found`. */
export function readTimeline(
  timelines: OrderTimelines,
  owner: Owner,
  orderId: string | ResourceId,
  input: TimelineQueryInput,
): ResultAsync<OrderTimeline, ReadTimelineError> {
  return parseTimelineQuery(input).asyncAndThen(({ after, ...query }) =>
    parseId(orderId, 'order_not_found').asyncAndThen((id) =>
      timelines.read(owner, id, query).andThen((page) => checkPosition(after, id).map(() => page)),
    ),
  );
}

/** Parses a query for a page of a timeline and reports every invalid member. */
export function parseTimelineQuery(
  input: TimelineQueryInput,
): Result<TimelineQuery & { readonly after: Position<string> | null }, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, ['limit', 'after']);
  const { limit, after } = readPageWindow(query, ({ value }) => isVersion(Number(value)), invalid);
  return invalid.toResult({ limit, after, afterVersion: after === null ? 0 : Number(after.value) });
}
