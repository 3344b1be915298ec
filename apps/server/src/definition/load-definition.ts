import { type OrderDefinition, ORDERS } from '@orders/domain';
import type { Given } from '../config/config.ts';

/** The definition of orders of a server, or the faults of its file. */
export interface LoadedDefinition {
  /** The default definition if the file has faults. */
  readonly definition: OrderDefinition;
  /** One line for each fault, which begins with the variable. */
  readonly faults: readonly string[];
}

/** Reads the definition of orders that an environment selects. Without `ORDERS_DEFINITION` it is the default one. */
export async function loadDefinition({ ORDERS_DEFINITION: path = '' }: Given): Promise<LoadedDefinition> {
  if (path === '') return { definition: ORDERS, faults: [] };
  // Imported only then, because the validation of JSON schemas takes time to load.
  const { readDefinition } = await import('./read-definition.ts');
  return (await readDefinition(path)).match<LoadedDefinition>(
    (definition) => ({ definition, faults: [] }),
    (faults) => ({ definition: ORDERS, faults: faults.map((line) => `ORDERS_DEFINITION: ${line}`) }),
  );
}
