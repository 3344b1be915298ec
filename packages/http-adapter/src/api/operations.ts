import { type Domain, untyped } from '@orders/domain';
import { customerOperations } from './customers/customer-operations.ts';
import type { Operation } from './operation.ts';
import { orderOperations } from './orders/order-operations.ts';

/** Returns all operations of the API. */
export function operations(domain: Domain): readonly Operation[] {
  const useCases = untyped(domain);
  return [...orderOperations(useCases), ...customerOperations(useCases)];
}
