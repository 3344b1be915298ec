import { err, ok, type Result } from 'neverthrow';
import { type Timestamp, toDate } from '../shared/clock.ts';
import {
  type CustomData,
  type GuardedWrite,
  type OrderDefinition,
  STATUS_REQUIRED,
} from './definition/order-definition.ts';
import type { Refused } from './order-errors.ts';
import type { AnyOrder, Order } from './order.ts';

/**
 * Returns the code of the reason why a write is refused, or `null`. Pure and synchronous: it may run again.
 *
 * @param now the time of the write by the clock of the domain. Compare it, and read no other clock
 */
export type Guard<Before, After, Code> = (before: Before, after: After, now: Date) => Code | null;

/** The order that guards of a definition get. Its parameters are few, so that hovers and messages stay short. */
export type GuardedOrder<Status extends string, Initial extends string, Custom> = Order<
  OrderDefinition<
    { readonly [Each in Status]: readonly Status[] },
    Initial,
    Status,
    [Custom] extends [never] ? null : CustomData<Custom>
  >
>;

/** The guards of the entry of each status. */
export type EntryGuards<O, Status extends string, Code> = {
  readonly [Each in Status]?: Guard<O | null, O, Code> | undefined;
};

/** The guards of a definition. Each gets the order before the write and as it would be afterwards. Default: none. */
export interface Guards<O, Status extends string, Code> {
  /** Of the entry of a status, by whichever write. Before the placing, which enters the initial one, no order exists. */
  readonly enter?: EntryGuards<O, Status, Code> | undefined;
  readonly place?: Guard<null, O, Code> | undefined;
  /** Of a change, unless it is a cancellation. */
  readonly change?: Guard<O, O, Code> | undefined;
  /** Of a cancellation of the order or of items. */
  readonly cancel?: Guard<O, O, Code> | undefined;
  readonly adjust?: Guard<O, O, Code> | undefined;
  readonly add?: Guard<O, O, Code> | undefined;
  readonly fulfill?: Guard<O, O, Code> | undefined;
  readonly cancel_fulfillment?: Guard<O, O, Code> | undefined;
  readonly return?: Guard<O, O, Code> | undefined;
  readonly delete?: Guard<O, null, Code> | undefined;
}

/** Kind of a write of an order, as fingerprints have it: the name of its guard, and perhaps what it writes. */
export type OrderOperation = `${GuardedWrite}${'' | '_order' | '_items'}`;

type WideGuard = Guard<AnyOrder | null, AnyOrder | null, string>;

/**
 * Checks whether the definition of an order allows a write that all other rules about the order allow; returns why not.
 * `before` is `null` for a placing, and `after` for a deletion. `now` is the time of the write.
 *
 * @throws {TypeError} a guard returned something else than a code of the definition or `null`
 */
export function checkGuards(
  definition: OrderDefinition,
  operation: OrderOperation,
  before: AnyOrder | null,
  after: AnyOrder | null,
  now: Timestamp,
): Result<null, Refused> {
  const { initial, cancel, requires, refusals, guards } = definition;
  const refuse = (code: string, message: string) => err({ type: 'refused', code, message } as const);
  const entered = after && after.status !== before?.status ? after.status : '';
  const missing = (ownMember(requires, entered) ?? []).filter(
    (status) =>
      status === entered || (status !== initial && typeof Reflect.get({ ...after }, `${status}_at`) !== 'string'),
  );
  if (missing.includes(entered)) return refuse(STATUS_REQUIRED, `No order becomes ${entered} at present.`);
  if (missing.length > 0)
    return refuse(STATUS_REQUIRED, `Before it is ${entered}, the order must have been ${missing.join(' and ')}.`);
  const name = entered === cancel && operation === 'change_order' ? 'cancel' : operation.replace(/_(order|items)$/, '');
  for (const guard of [ownMember(widen(guards.enter), entered), widen(guards)[name]]) {
    const code = guard ? guard(before, after, toDate(now)) : null;
    if (code === null) continue;
    const message = ownMember(refusals, code);
    if (message === undefined) throw new TypeError(`a guard of ${name} returned no code of refusals`);
    return refuse(code, message);
  }
  return ok(null);
}

/** Returns a member that an object has itself: a status may have the name of an inherited one. */
function ownMember<T>(of: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

/** Returns the guards themselves, which get orders of their definition alone. */
function widen(guards?: object): Readonly<Record<string, WideGuard | undefined>>;
function widen(guards: object = {}): unknown {
  return guards;
}
