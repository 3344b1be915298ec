import type { Result } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import { type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Position } from '../shared/page.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { OrderEventType } from './order-events.ts';
import type { Order } from './order.ts';

/** One version of an order: the change that made it, and the order after the change. */
export interface OrderVersion {
  readonly version: number;
  /** The type of the change; `null` for an order that was stored before versions were recorded. */
  readonly type: OrderEventType | null;
  /** Names of the changed fields, without `version` and `updated_at`. */
  readonly changed: readonly string[];
  readonly occurred_at: Timestamp;
  /** The credential that made the change; `null` if unknown. */
  readonly actor: string | null;
  /** The order at this version; `null` for a deletion, and after the values of a deleted order were erased. */
  readonly order: Order | null;
}

/** A validated query for a page of versions. */
export interface OrderVersionQuery {
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** The page starts after this position; its value is a version. */
  readonly after: Position<number> | null;
  /** Selects only the version that was current at this time; `null` selects all versions. */
  readonly at: Timestamp | null;
}

/** An unvalidated query for a page of versions. Every member is optional; `after` and `at` exclude each other. */
export interface OrderVersionQueryInput extends Omit<PageWindowInput<number>, 'offset'> {
  /** RFC 3339 date and time with any offset, to nanoseconds. Digits after the milliseconds are ignored. */
  readonly at?: string | undefined;
}

/** Error: the owner has no such version of an order, or its record was purged. */
export interface VersionNotFound {
  readonly type: 'version_not_found';
  readonly id: string;
}

/** Parses a query for a page of versions and reports every invalid member. */
export function parseOrderVersionQuery(input: OrderVersionQueryInput): Result<OrderVersionQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const { limit, after } = readPageWindow({ limit: input.limit, after: input.after }, isVersionPosition, invalid);
  const at = input.at === undefined ? null : (invalid.readTimestamp(input.at, 'at') ?? null);
  if (input.at !== undefined && after !== null) invalid.add('at', 'invalid_value', 'cannot be combined with after');
  return invalid.settle({ limit, after, at });
}

function isVersionPosition({ value }: Position<number>): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
