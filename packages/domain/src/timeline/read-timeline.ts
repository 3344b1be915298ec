import type { Result, ResultAsync } from 'neverthrow';
import type { OrderNotFound } from '../orders/order-errors.ts';
import { VERSION_MAX } from '../orders/order-version.ts';
import { isUuid, type Owner, parseId, type ResourceId } from '../shared/ids.ts';
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
  const { limit, after } = readPageWindow(query, ({ value }) => placeOf(value) !== null, invalid);
  return invalid.toResult({ limit, after, ...((after && placeOf(after.value)) ?? FIRST) });
}

type Place = Pick<TimelineQuery, 'afterVersion' | 'afterComment'>;

const FIRST: Place = { afterVersion: 0, afterComment: null };

/** Returns the place of a position, which a client may have made up. */
function placeOf(value: unknown): Place | null {
  const [, version, comment = null] = /^(\d{1,10})(?: (.+))?$/.exec(String(value)) ?? [];
  const isPlace = version !== undefined && Number(version) <= VERSION_MAX && (comment === null || isUuid(comment));
  return isPlace ? { afterVersion: Number(version), afterComment: comment } : null;
}
