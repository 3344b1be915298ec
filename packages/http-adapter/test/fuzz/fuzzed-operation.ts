import { type RequestWay, waysToBreakRequest } from '../hostile/invalid-requests.ts';
import { type Operation, operationsOf } from '../hostile/operations.ts';
import { currentDocument } from '../../scripts/current-document.ts';
import { BATCH, type SeededApi } from './seeded-api.ts';

/** Ids of all operations but {@link BATCH}, which has tests of its own. */
export const OPERATION_IDS = operationsOf(currentDocument())
  .map(({ id }) => id)
  .filter((id) => id !== BATCH);

/** Returns the operation with an id from the served document. */
export function operationOf({ operations }: SeededApi, id: string): Operation {
  const operation = operations.find((each) => each.id === id);
  if (operation) return operation;
  throw new Error(`the API does not serve ${id}`);
}

/** Returns all invalid requests of an operation. */
export function waysOf(api: SeededApi, operation: Operation): readonly RequestWay[] {
  return waysToBreakRequest(operation, api.servers, api.known(operation), namesIn(api));
}

/** Names of all parameters of the document, and common names of other APIs. */
function namesIn({ operations }: SeededApi): readonly string[] {
  const parameters = operations.flatMap((operation) => operation.parameters.map(({ name }) => name));
  return [...new Set([...parameters, 'expand', 'fields', 'page', 'filter', 'q', '__proto__'])];
}
