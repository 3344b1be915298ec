import {
  type AnyGuards,
  type GuardedWrite,
  type OrderDefinition,
  STATUS_REQUIRED,
} from './definition/order-definition.ts';
import type { Refused } from './order-errors.ts';
import type { Order } from './order.ts';

/** Returns the code of the reason why a write is refused, or `null`. Pure and synchronous: it may run again. */
export type Guard<Before, After, Code> = (before: Before, after: After) => Code | null;

/** The guards of a definition. Each gets the order before the write and as it would be afterwards. Default: none. */
export interface Guards<O, Status extends string, Code> {
  /** Of the entry of a status, by whichever write. Before the placing, which enters the initial one, no order exists. */
  readonly enter?: { readonly [Each in Status]?: Guard<O | null, O, Code> | undefined } | undefined;
  readonly place?: Guard<null, O, Code> | undefined;
  /** Of a change, unless it is a cancellation. */
  readonly change?: Guard<O, O, Code> | undefined;
  /** Of a cancellation of the order or of items. */
  readonly cancel?: Guard<O, O, Code> | undefined;
  readonly adjust?: Guard<O, O, Code> | undefined;
  readonly fulfill?: Guard<O, O, Code> | undefined;
  readonly cancel_fulfillment?: Guard<O, O, Code> | undefined;
  readonly return?: Guard<O, O, Code> | undefined;
  readonly delete?: Guard<O, null, Code> | undefined;
}

/** The kinds of writes of an order, as fingerprints have them, each with its guard. */
const GUARD_OF = {
  place_order: 'place',
  change_order: 'change',
  cancel_items: 'cancel',
  adjust: 'adjust',
  fulfill_items: 'fulfill',
  cancel_fulfillment: 'cancel_fulfillment',
  return_items: 'return',
  delete_order: 'delete',
} as const satisfies Readonly<Record<string, GuardedWrite>>;

/** Kind of a write of an order. */
export type OrderOperation = keyof typeof GUARD_OF;

type AnyOrder = Order<OrderDefinition>;
type WideGuard = Guard<AnyOrder | null, AnyOrder | null, string>;

/** Returns whether writes of orders of a definition can be refused by it. */
export function isGuarded({ refusals }: OrderDefinition): boolean {
  return Object.keys(refusals).length > 0;
}

/**
 * Returns why the definition of an order refuses a write that all other rules about the order allow; `null` if it does
 * not. `before` is `null` for a placing, and `after` for a deletion.
 *
 * @throws {TypeError} a guard returned something else than a code of the definition or `null`
 */
export function findRefusal(
  definition: OrderDefinition,
  operation: OrderOperation,
  before: AnyOrder | null,
  after: AnyOrder | null,
): Refused<OrderDefinition> | null {
  const { initial, cancel, requires, refusals } = definition;
  const guards = widen(definition.guards);
  const entered = after && after.status !== before?.status ? after.status : '';
  const missing = (ownMember(requires, entered) ?? []).filter(
    (status) =>
      status !== initial && (status === entered || typeof Reflect.get(after ?? {}, `${status}_at`) !== 'string'),
  );
  if (missing.length > 0)
    return {
      type: 'refused',
      code: STATUS_REQUIRED,
      message: missing.includes(entered)
        ? `No order becomes ${entered} at present.`
        : `Before it is ${entered}, the order must have been ${missing.join(' and ')}.`,
    };
  const name = operation === 'change_order' && entered === cancel ? 'cancel' : GUARD_OF[operation];
  for (const guard of [ownMember(guards.enter, entered), guards[name]]) {
    const code = guard ? guard(before, after) : null;
    if (code === null) continue;
    const message = ownMember(refusals, code);
    if (message === undefined) throw new TypeError(`a guard of ${name} returned neither a code of refusals nor null`);
    return { type: 'refused', code, message };
  }
  return null;
}

/** Returns a member that an object has itself: a status may have the name of an inherited one. */
function ownMember<T>(of: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return of && Object.hasOwn(of, name) ? of[name] : undefined;
}

/** Returns the guards themselves, which get orders of their definition alone. */
function widen(guards: AnyGuards): Readonly<Partial<Record<GuardedWrite, WideGuard>>> & {
  readonly enter?: Readonly<Record<string, WideGuard | undefined>>;
};
function widen(guards: AnyGuards): unknown {
  return guards;
}
