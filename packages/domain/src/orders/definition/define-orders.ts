import { assertDefinition } from './assert-definition.ts';
import { type DefinitionInput, deriveDefinition } from './derive-definition.ts';
import type { CustomData, LifecycleTable, OrderDefinition } from './order-definition.ts';

/**
 * Defines orders of your own: `lifecycle` lists the statuses that each status leads to, none for a terminal one.
 * `initial` is the status of a new order and `cancel` that of a cancelled one, which a transition must lead to. Only a
 * lifecycle of one status has the same for both. With `custom`, orders have custom data of at most
 * {@link CUSTOM_BYTES_MAX} bytes.
 *
 * A faulty definition does not compile. The faults are a name that is reserved or not `[a-z][a-z0-9_]{0,29}`, an unknown
 * target, a transition twice or to the same status, an unreachable status, and no terminal one. So are more than
 * {@link ORDER_STATUSES_MAX} statuses, but only at run time.
 *
 * @throws {TypeError} a fault that the compiler did not see; the message names it
 */
export function defineOrders<
  const Lifecycle extends LifecycleTable,
  const Initial extends Extract<keyof Lifecycle, string>,
  const Cancel extends Extract<keyof Lifecycle, string>,
  Custom = never,
>(
  definition: DefinitionInput<Lifecycle, Initial, Cancel, Custom>,
): OrderDefinition<Lifecycle, Initial, Cancel, [Custom] extends [never] ? null : CustomData<Custom>> {
  assertDefinition(definition);
  return deriveDefinition(definition);
}
