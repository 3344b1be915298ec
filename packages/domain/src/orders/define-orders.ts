import { InvalidFields } from '../shared/validation.ts';
import { assertDefinition } from './definition/assert-definition.ts';
import { type DefinitionInput, deriveDefinition, type LookupFunction } from './definition/derive-definition.ts';
import type { CustomData, LifecycleTable, OrderDefinition, STATUS_REQUIRED } from './definition/order-definition.ts';
import type { GuardedOrder, Guards } from './guards.ts';
import { readCustom } from './order-custom.ts';

/**
 * Defines orders of your own: `lifecycle` lists the statuses that each status leads to, none for a terminal one.
 * `initial` is the status of a new order and `cancel` that of a cancelled one, which a transition must lead to. Only a
 * lifecycle of one status has the same for both. With `custom`, orders have custom data of at most
 * {@link CUSTOM_BYTES_MAX} bytes.
 *
 * `guards` refuse writes that all other rules about the order allow, by a code of `refusals`, which has a sentence for
 * each, and get the time of the write to compare it. `requires` lists the statuses that an order must have entered before it enters a status; what it refuses has the
 * code {@link STATUS_REQUIRED}. A guard that throws or returns anything else than a code or `null` is a bug: the use case
 * rejects, and nothing is stored.
 *
 * `lookups` find texts in custom data, by each of which `own.` and its name then finds the order, at most {@link OWN_LOOKUPS_MAX} of all
 * names. A value of more than {@link LOOKUP_VALUE_LENGTH_MAX} characters, one that is no text, and an exception are errors of what sets the custom data.
 *
 * A faulty definition does not compile. The faults are a name that is reserved or not `[a-z][a-z0-9_]{0,29}`, an unknown
 * target, a transition twice or to the same status, an unreachable status, and no terminal one. So are more than
 * {@link ORDER_STATUSES_MAX} statuses, but only at run time, and a parser of custom data that throws or returns no Result.
 *
 * @throws {TypeError} a fault that the compiler did not see; the message names it
 * @throws what a parser of custom data throws
 */
export function defineOrders<
  const Lifecycle extends LifecycleTable,
  const Initial extends Extract<keyof Lifecycle, string>,
  const Cancel extends Extract<keyof Lifecycle, string>,
  Custom = never,
  Input = Custom,
  IsRequired extends boolean = boolean,
  const Requiring extends Extract<keyof Lifecycle, string> = never,
  const Code extends string = never,
>(
  definition: DefinitionInput<Lifecycle, Initial, Cancel, Custom, Input, IsRequired, Requiring, Code> & {
    /** What orders are found by, besides their external ids: texts in custom data that are no personal data. Default: none. */
    readonly lookups?: { readonly [name: string]: LookupFunction<NoInfer<Custom>> };
    readonly guards?: Guards<
      GuardedOrder<Extract<keyof Lifecycle, string>, Initial, Custom>,
      Extract<keyof Lifecycle, string>,
      NoInfer<Code>
    >;
  },
): OrderDefinition<
  Lifecycle,
  Initial,
  Cancel,
  [Custom] extends [never] ? null : CustomData<Custom, Input, IsRequired>,
  Code | ([Requiring] extends [never] ? never : typeof STATUS_REQUIRED)
> {
  assertDefinition(definition);
  if (definition.custom) probe(definition.custom);
  return deriveDefinition(definition);
}

/** Values of which a parser accepts some or none, but must return a Result for each. */
const PROBES = [{}, [], '', 0, true];

/** Throws unless a parser of custom data returns what it should, or what the parser throws. */
function probe(custom: CustomData<unknown>): void {
  for (const value of PROBES) readCustom({ custom, lookups: {} }, value, new InvalidFields());
}
