import type { Result } from 'neverthrow';
import type { InvalidField } from '../../shared/validation.ts';
import type { unsetOrder } from '../order-fields.ts';
import type { StatusEntry } from './status-event.ts';

/** The allowed transitions from each status: the statuses that it leads to, none for a terminal one. */
export type LifecycleTable = Readonly<Record<string, readonly string[]>>;

/** The custom data of orders: one member `custom`, which a program defines. */
export interface CustomData<Custom, Input = Custom, IsRequired extends boolean = boolean> {
  /**
   * Parses one value of `custom`, which is JSON, never `null`, and has at most {@link CUSTOM_BYTES_MAX} bytes and
   * {@link CUSTOM_DEPTH_MAX} levels. A pure function. The path in the `field` of an error starts at the value itself, as
   * in `pick_up` and `[0]`; `""` is the value. What it returns must be JSON of that size too. An exception is a bug: the
   * use case throws or rejects with it.
   */
  readonly parse: (input: unknown) => Result<Custom, readonly InvalidField[]>;
  /** JSON schema of what `parse` accepts. */
  readonly schema: Readonly<Record<string, unknown>>;
  /**
   * Whether a new order must have custom data, and a change cannot remove them. Orders are read as `null` also then: those
   * from before the rule, and erased ones. Default: `false`.
   */
  readonly required?: IsRequired | undefined;
  /** The type of what `parse` accepts, where it differs from what it returns. Only the compiler reads it. */
  readonly types?: { readonly input: Input } | undefined;
}

/** Code of the refusal of a status for which a required one is missing. */
export const STATUS_REQUIRED = 'status_required';

/** The types of order events of every definition, besides that of the deletion. */
export const COMMON_EVENT_TYPES = Object.freeze([
  'order.placed',
  'order.changed',
  'order.adjusted',
  'order.items_added',
  'order.items_fulfilled',
  'order.items_returned',
  'order.items_cancelled',
  'order.fulfillment_cancelled',
  'order.imported',
  'order.corrected',
  'order.erased',
] as const);

const OTHER_RESERVED_STATUSES = ['created', 'updated', 'deleted'] as const;

/** A name that no status can have. */
export type ReservedName = (typeof OTHER_RESERVED_STATUSES)[number] | NameIn<(typeof COMMON_EVENT_TYPES)[number]>;

type NameIn<Type extends string> = Type extends `order.${infer Name}` ? Name : never;

/** The names that no status can have: those of other events of orders, and of their other times. */
export const RESERVED_STATUSES: readonly string[] = Object.freeze([
  ...OTHER_RESERVED_STATUSES,
  ...COMMON_EVENT_TYPES.map((type) => type.replace('order.', '')),
]);

/** A write of an order that a definition can guard: each but the entry of a status, which has guards of its own. */
export type GuardedWrite =
  | 'place'
  | 'change'
  | 'cancel'
  | 'adjust'
  | 'add'
  | 'fulfill'
  | 'cancel_fulfillment'
  | 'return'
  | 'delete';

/** A guard of any definition. Its types are those of the orders of its definition. */
type AnyGuard = (before: never, after: never, now: Date) => unknown;

/** The guards of any definition: of each write, and of the entry of each status. */
export interface AnyGuards extends Readonly<Partial<Record<GuardedWrite, AnyGuard | undefined>>> {
  readonly enter?: Readonly<Record<string, AnyGuard | undefined>> | undefined;
}

/**
 * The definition of orders: their lifecycle and custom data, with what follows from them. {@link defineOrders} makes it;
 * it never changes.
 */
export interface OrderDefinition<
  Lifecycle extends LifecycleTable = LifecycleTable,
  Initial extends string = string,
  Cancel extends string = string,
  Custom extends CustomData<unknown> | null = CustomData<unknown> | null,
  Refusal extends string = string,
> {
  readonly lifecycle: Lifecycle;
  /** Status of a new order. */
  readonly initial: Initial;
  /** Status of a cancelled order. */
  readonly cancel: Cancel;
  /** `null` for orders without custom data. */
  readonly custom: Custom;
  /** The statuses that an order must have entered before it enters each; itself for one that none enters. */
  readonly requires: Readonly<Record<string, readonly string[]>>;
  /** The reason of each refusal in a sentence, by its code: those of the guards, and {@link STATUS_REQUIRED}. */
  readonly refusals: Readonly<Record<Refusal, string>>;
  readonly guards: AnyGuards;
  /** What finds texts in custom data by which orders are found, by the name of the lookup. */
  readonly lookups: Readonly<Record<string, (custom: never) => unknown>>;
  /** All statuses, in the order of the lifecycle. */
  readonly statuses: readonly Extract<keyof Lifecycle, string>[];
  /** The types of order events: those of every definition, each status but the initial one, and deleted. */
  readonly eventTypes: readonly EventTypeIn<Lifecycle, Initial>[];
  /** What entering each status records. */
  readonly entries: { readonly [Status in keyof Lifecycle]: StatusEntry };
  /** The members for the times of statuses, of an order that has entered none but the initial one. */
  readonly noTimes: { readonly [Status in EnteredIn<Lifecycle, Initial> as `${Status}_at`]: null };
  /** An order of which nothing is set. Orders that are made of it have its members in its order. */
  readonly unset: ReturnType<typeof unsetOrder>;
  /** The names of all members of an order as use cases return it. */
  readonly members: readonly string[];
}

/** The statuses that a transition may lead to: all but the initial one. */
type EnteredIn<Lifecycle extends LifecycleTable, Initial extends string> = string extends keyof Lifecycle
  ? string
  : Exclude<Extract<keyof Lifecycle, string>, Initial>;

type EventTypeIn<Lifecycle extends LifecycleTable, Initial extends string> =
  | (typeof COMMON_EVENT_TYPES)[number]
  | 'order.deleted'
  | `order.${EnteredIn<Lifecycle, Initial>}`;

/** A status of a definition. */
export type StatusOf<D extends OrderDefinition> = Extract<keyof D['lifecycle'], string>;

/** A status of a definition that has a time and an event of its own: any but the initial one. */
export type EnteredStatusOf<D extends OrderDefinition> = EnteredIn<D['lifecycle'], D['initial']>;

/** A status of a definition besides the one of a cancelled order. */
export type UncancelledStatusOf<D extends OrderDefinition> =
  string extends StatusOf<D> ? string : Exclude<StatusOf<D>, D['cancel']>;

/** A status that the lifecycle of a definition has a transition to, from `Status`. */
export type NextStatusOf<D extends OrderDefinition, Status extends StatusOf<D>> = D['lifecycle'][Status][number];

/** Type of an order event of a definition. */
export type EventTypeOf<D extends OrderDefinition> = EventTypeIn<D['lifecycle'], D['initial']>;

/** Code of the refusals of a definition. */
export type RefusalOf<D extends OrderDefinition> = Extract<keyof D['refusals'], string>;

/** The custom data of orders of a definition. */
export type CustomOf<D extends OrderDefinition> =
  D['custom'] extends CustomData<infer Custom, unknown> ? Custom : unknown;

/** What callers pass as custom data of orders of a definition: without the defaults that its parser adds. */
export type CustomInputOf<D extends OrderDefinition> =
  D['custom'] extends CustomData<unknown, infer Input> ? Input : unknown;

/** The member of a new order for its custom data. */
export type WithCustomInput<D extends OrderDefinition> = WithCustom<
  D,
  { readonly custom?: unknown },
  D['custom'] extends CustomData<unknown, unknown, true>
    ? { readonly custom: CustomInputOf<D> }
    : { readonly custom?: CustomInputOf<D> | null | undefined }
>;

/**
 * The members of an order for its custom data: none, or `custom`. It is optional if the definition is not known when the
 * program is compiled.
 */
export type WithCustom<D extends OrderDefinition, Optional, Required> = [D['custom']] extends [null]
  ? unknown
  : null extends D['custom']
    ? Optional
    : Required;
