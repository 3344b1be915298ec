import { deepFreeze } from '../../shared/frozen.ts';
import { unsetOrder } from '../order-fields.ts';
import type { CancelWithoutFaults, CustomWithoutFaults, LifecycleWithoutFaults } from './definition-faults.ts';
import {
  type AnyGuards,
  COMMON_EVENT_TYPES,
  type CustomData,
  type LifecycleTable,
  type OrderDefinition,
  STATUS_REQUIRED,
} from './order-definition.ts';
import { entryOf, type StatusEntry } from './status-event.ts';

/** What a program defines, besides guards. */
export interface DefinitionInput<
  Lifecycle extends LifecycleTable,
  Initial extends string,
  Cancel extends string,
  Custom,
  Input,
  IsRequired extends boolean,
  Requiring extends string,
  Code extends string,
> {
  readonly lifecycle: Lifecycle & LifecycleWithoutFaults<Lifecycle, Initial>;
  readonly initial: Initial;
  readonly cancel: Cancel & CancelWithoutFaults<Lifecycle, Initial, Cancel>;
  readonly custom?: CustomData<Custom, Input, IsRequired> & CustomWithoutFaults<Custom>;
  /** The statuses that an order must have entered before it enters each. No order enters one that requires itself. Default: none. */
  readonly requires?: { readonly [Status in Requiring]: readonly Extract<keyof Lifecycle, string>[] };
  /** The reason of each refusal in a sentence, by its code. Default: none. */
  readonly refusals?: { readonly [Each in Code]: string };
}

/** Returns the texts in custom data by which an order is found; `null` and an empty text are none. Pure and synchronous. */
export type LookupFunction<Custom> = (custom: Custom) => string | readonly string[] | null;

/** Returns the definition that follows from `definition`, in which the compiler has seen every fault. */
export function deriveDefinition<
  const Lifecycle extends LifecycleTable,
  const Initial extends Extract<keyof Lifecycle, string>,
  const Cancel extends Extract<keyof Lifecycle, string>,
  Custom = never,
  Input = Custom,
  IsRequired extends boolean = boolean,
  const Requiring extends string = never,
  const Code extends string = never,
>(
  definition: DefinitionInput<Lifecycle, Initial, Cancel, Custom, Input, IsRequired, Requiring, Code> & {
    readonly guards?: AnyGuards;
    readonly lookups?: OrderDefinition['lookups'];
  },
): OrderDefinition<
  Lifecycle,
  Initial,
  Cancel,
  [Custom] extends [never] ? null : CustomData<Custom, Input, IsRequired>,
  Code | ([Requiring] extends [never] ? never : typeof STATUS_REQUIRED)
>;
export function deriveDefinition({
  lifecycle: table,
  initial,
  cancel,
  custom = null,
  requires = {},
  refusals = {},
  guards = {},
  lookups = {},
}: {
  readonly lifecycle: LifecycleTable;
  readonly initial: string;
  readonly cancel: string;
  readonly custom?: CustomData<unknown> | null;
  readonly requires?: OrderDefinition['requires'];
  readonly refusals?: OrderDefinition['refusals'];
  readonly guards?: AnyGuards;
  readonly lookups?: OrderDefinition['lookups'];
}): OrderDefinition {
  // Copies, as freezing what the caller passed could surprise it.
  const lifecycle = Object.fromEntries(Object.entries(table).map(([status, targets]) => [status, [...targets]]));
  const statuses = Object.keys(lifecycle);
  const entered = statuses.filter((status) => status !== initial);
  const entries = statuses.map((status): [string, StatusEntry] => [status, entryOf(status, initial)]);
  const noTimes = Object.fromEntries(entered.map((status) => [`${status}_at`, null]));
  const unset = unsetOrder(custom !== null, noTimes);
  return deepFreeze({
    lifecycle,
    initial,
    cancel,
    custom: custom && {
      parse: (input: unknown) => custom.parse(input),
      schema: copy(custom.schema),
      required: custom.required ?? false,
    },
    requires: copy(requires),
    refusals: { ...refusals, ...(Object.keys(requires).length > 0 && { [STATUS_REQUIRED]: STATUS_REQUIRED_TITLE }) },
    guards: { ...guards, enter: { ...guards.enter } },
    lookups: { ...lookups },
    statuses,
    eventTypes: [
      ...COMMON_EVENT_TYPES,
      ...entered.map((status) => entryOf(status, initial).event),
      'order.deleted' as const,
    ],
    entries: Object.fromEntries(entries),
    noTimes,
    unset,
    members: [...Object.keys(unset), 'available_transitions'],
  });
}

/** The reason of a refusal for which no guard is needed. */
const STATUS_REQUIRED_TITLE = 'Another status must come before.';

/** Returns a deep copy of JSON. */
function copy<T>(value: T): T;
function copy(value: unknown): unknown {
  const copied: unknown = JSON.parse(JSON.stringify(value));
  return copied;
}
