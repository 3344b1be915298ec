import type { Result } from 'neverthrow';
import type { Author } from '../shared/author.ts';
import type { Timestamp } from '../shared/clock.ts';
import { type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Position } from '../shared/page.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import type { OrderEventType } from './order-kind.ts';
import type { Order } from './order.ts';

/** One version of an order: the change that made it, and the order after the change. The deletion is the last version. */
export interface OrderVersion<D extends OrderDefinition = DefaultDefinition> extends Author {
  /** 1 for a new order, and one more for each change and for the deletion. */
  readonly version: number;
  /** The type of the change; `null` for a version that was stored before changes were recorded. */
  readonly type: OrderEventType<D> | null;
  /** Names of the changed fields, without `version` and `updated_at`. */
  readonly changed: readonly string[];
  readonly occurred_at: Timestamp;
  /** The reason that was given for cancelled or returned items, or for a correction; otherwise `null`. */
  readonly reason: string | null;
  /** The order after the change, as the write returned it; `null` for a deletion, and after it was erased. */
  readonly order: Order<D> | null;
}

/** A validated query for a page of versions. */
export interface OrderVersionQuery {
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** The page starts after this position. Its value is a version; its id is that of the order. `null` with `at`. */
  readonly after: Position<number> | null;
  /** Selects the version that was current at this time, if any; `null` selects all versions. */
  readonly at: Timestamp | null;
}

/** An unvalidated query for a page of versions. Every member is optional; `after` and `at` exclude each other. */
export interface OrderVersionQueryInput extends Omit<PageWindowInput<number>, 'offset'> {
  /**
   * Selects the version that was current at this time: an RFC 3339 date and time with any offset and at most nine digits
   * of a fraction. Digits after the milliseconds are ignored. In UTC its year is from 1 to 9999.
   */
  readonly at?: string | undefined;
}

/**
 * Error: the owner has no order with this id, the order has no such version, or the version was purged. The id of another
 * owner's order and text that is no UUID give the same error.
 */
export interface VersionNotFound {
  readonly type: 'version_not_found';
  /** Id of the order. */
  readonly id: string;
}

/** Parses a query for a page of versions and reports every invalid member. */
export function parseOrderVersionQuery(input: OrderVersionQueryInput): Result<OrderVersionQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, ['limit', 'after', 'at']);
  const { limit, after } = readPageWindow(query, ({ value }) => isVersion(value), invalid);
  const at = query.at === undefined ? null : (invalid.readTimestamp(query.at, 'at') ?? null);
  if (query.at !== undefined && after !== null) invalid.add('at', 'invalid_value', 'cannot be combined with after');
  return invalid.toResult({ limit, after, at });
}

/** No order has more versions: a position with this one is behind all of an order. */
export const VERSION_MAX = 2 ** 31 - 1;

/** Checks whether `value` can be a version of a resource. */
export function isVersion(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
