import type { Result } from 'neverthrow';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from '../orders/order-lifecycle.ts';
import { deepFreeze } from '../shared/frozen.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../shared/page.ts';
import { InvalidFields, readSet, type ValidationFailed } from '../shared/validation.ts';
import { type EventType, eventTypesOf, FEED_INCLUDES, type FeedInclude } from '../event-types.ts';
import { type FeedPosition, isFeedPosition } from './feed-position.ts';

/** Where a reader without a position starts: before the oldest event of the feed, or after the latest. */
export const FEED_STARTS = deepFreeze(['oldest', 'latest'] as const);
/** A start of a feed, one of {@link FEED_STARTS}. */
export type FeedStart = (typeof FEED_STARTS)[number];

/** Start of a reader that requests none. */
const FEED_START_DEFAULT: FeedStart = 'oldest';

/** A validated query for a page of events. */
export interface FeedQuery<D extends OrderDefinition = OrderDefinition> {
  /** The page starts after this position; `null` starts at `start`. */
  readonly after: FeedPosition | null;
  /** Only without `after`. With `latest` the page is empty, and its `next` is the end of the feed. */
  readonly start: FeedStart;
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** The accepted types, without duplicates, in the order of {@link eventTypesOf}; `null` accepts every type. */
  readonly types: readonly EventType<D>[] | null;
  /** With `resource`, each event has the resource at its version. */
  readonly include: readonly FeedInclude[];
}

/** An unvalidated query for a page of events. Every member is optional. `after` and `start: 'latest'` exclude each other. */
export interface FeedQueryInput {
  /** The page starts after this position, the `next` of an earlier page. */
  readonly after?: FeedPosition | undefined;
  /** `oldest` or `latest`. Default: `oldest`. */
  readonly start?: string | undefined;
  /** Default: {@link PAGE_LIMIT_DEFAULT}. */
  readonly limit?: number | undefined;
  /** The accepted types. Default: every type. */
  readonly types?: readonly string[] | undefined;
  /** `resource`, or nothing. Default: nothing. */
  readonly include?: readonly string[] | undefined;
}

/** Parses a query for a page of events and reports every invalid member. The default definition is {@link ORDERS}. */
export function parseFeedQuery<D extends OrderDefinition = DefaultDefinition>(
  input: FeedQueryInput,
  definition?: D,
): Result<FeedQuery<D>, ValidationFailed>;
export function parseFeedQuery(
  input: FeedQueryInput,
  definition: OrderDefinition = ORDERS,
): Result<FeedQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, ['after', 'start', 'limit', 'types', 'include']);
  const { limit = PAGE_LIMIT_DEFAULT, after = null, start: requestedStart = FEED_START_DEFAULT } = query;
  invalid.readInteger(limit, 'limit', 1, PAGE_LIMIT_MAX);
  if (after !== null && !isFeedPosition(after))
    invalid.add('after', 'invalid_value', 'must be the end position of a page');
  const start = invalid.readOneOf(requestedStart, 'start', FEED_STARTS) ?? FEED_START_DEFAULT;
  if (after !== null && start === 'latest')
    invalid.add('start', 'invalid_value', 'must not be latest together with after');
  const types =
    query.types === undefined ? null : (readSet(query.types, 'types', eventTypesOf(definition), 1, invalid) ?? null);
  const include = readSet(query.include ?? [], 'include', FEED_INCLUDES, 0, invalid) ?? [];
  return invalid.toResult({ after, start, limit, types, include });
}
