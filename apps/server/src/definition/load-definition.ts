import { type OrderDefinition, ORDERS } from '@orders/domain';
import type { Given } from '../config/config.ts';

/** The definition of orders of a server, or what is wrong with its module. */
export interface LoadedDefinition {
  /** The default definition if the module has a fault. */
  readonly definition: OrderDefinition;
  /** At most one line, which begins with the variable. */
  readonly faults: readonly string[];
}

/** Runs the module that an environment selects. Without `ORDERS_DEFINITION` the definition is the default one. */
export async function loadDefinition({ ORDERS_DEFINITION: path = '' }: Given): Promise<LoadedDefinition> {
  if (path === '') return { definition: ORDERS, faults: [] };
  // Imported only then, because a schema library takes time to load.
  const { readDefinition } = await import('./read-definition.ts');
  return (await readDefinition(path)).match<LoadedDefinition>(
    (definition) => ({ definition, faults: [] }),
    (fault) => ({ definition: ORDERS, faults: [`ORDERS_DEFINITION: ${fault}`] }),
  );
}
