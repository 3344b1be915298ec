import type { defineOrders, OrderDefinition } from '@orders/domain';
import type { customFrom } from '@orders/domain/custom';
import type { z } from 'zod';

/** What the standalone server gives to a {@link DefinitionModule}. */
export interface DefinitionTools {
  readonly defineOrders: typeof defineOrders;
  readonly customFrom: typeof customFrom;
  /** Zod. Another library needs an installation of its own, which the module imports. */
  readonly z: typeof z;
}

/**
 * The default export of the module that `ORDERS_DEFINITION` names. The server calls it once, before anything else starts. It
 * returns what `defineOrders` returned.
 *
 * @example
 * export default (({ defineOrders }) => defineOrders({ … })) satisfies DefinitionModule;
 */
export type DefinitionModule = (tools: DefinitionTools) => OrderDefinition;
