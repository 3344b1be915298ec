import { deepFreeze } from '../../shared/frozen.ts';
import type { CancelWithoutFaults, CustomWithoutFaults, LifecycleWithoutFaults } from './definition-faults.ts';
import {
  COMMON_EVENT_TYPES,
  type CustomData,
  type LifecycleTable,
  type OrderDefinition,
  type StatusEntry,
} from './order-definition.ts';

/** What a program defines. */
export interface DefinitionInput<
  Lifecycle extends LifecycleTable,
  Initial extends string,
  Cancel extends string,
  Custom,
> {
  readonly lifecycle: Lifecycle & LifecycleWithoutFaults<Lifecycle, Initial>;
  readonly initial: Initial;
  readonly cancel: Cancel & CancelWithoutFaults<Lifecycle, Initial>;
  readonly custom?: CustomData<Custom> & CustomWithoutFaults<Custom>;
}

/** Returns the definition that follows from `definition`, in which the compiler has seen every fault. */
export function deriveDefinition<
  const Lifecycle extends LifecycleTable,
  const Initial extends Extract<keyof Lifecycle, string>,
  const Cancel extends Extract<keyof Lifecycle, string>,
  Custom = never,
>(
  definition: DefinitionInput<Lifecycle, Initial, Cancel, Custom>,
): OrderDefinition<Lifecycle, Initial, Cancel, [Custom] extends [never] ? null : CustomData<Custom>>;
export function deriveDefinition({
  lifecycle: table,
  initial,
  cancel,
  custom = null,
}: {
  readonly lifecycle: LifecycleTable;
  readonly initial: string;
  readonly cancel: string;
  readonly custom?: CustomData<unknown> | null;
}): OrderDefinition {
  // Copies, as freezing what the caller passed could surprise it.
  const lifecycle = Object.fromEntries(Object.entries(table).map(([status, targets]) => [status, [...targets]]));
  const statuses = Object.keys(lifecycle);
  const entered = statuses.filter((status) => status !== initial);
  const entries = statuses.map((status): [string, StatusEntry] => [status, entryOf(status, initial)]);
  return deepFreeze({
    lifecycle,
    initial,
    cancel,
    custom: custom && { parse: (input: unknown) => custom.parse(input), schema: copy(custom.schema) },
    statuses,
    eventTypes: [
      ...COMMON_EVENT_TYPES,
      ...entered.map((status) => `order.${status}` as const),
      'order.deleted' as const,
    ],
    entries: Object.fromEntries(entries),
    noTimes: Object.fromEntries(entered.map((status) => [`${status}_at`, null])),
  });
}

/** Returns what entering a status records. Placing is the first entry of the initial one; further ones are changes. */
function entryOf(status: string, initial: string): StatusEntry {
  return status === initial
    ? { event: 'order.changed', time: null }
    : { event: `order.${status}`, time: `${status}_at` };
}

/** Returns a deep copy of JSON. */
function copy<T>(value: T): T;
function copy(value: unknown): unknown {
  const copied: unknown = JSON.parse(JSON.stringify(value));
  return copied;
}
