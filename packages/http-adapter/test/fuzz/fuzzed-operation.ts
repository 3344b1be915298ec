import { at, membersOf } from '../json.ts';
import { type RequestWay, waysToBreakRequest } from './invalid-requests.ts';
import { type Operation, operationsOf } from './operations.ts';
import { currentDocument } from '../../scripts/current-document.ts';
import type { SeededApi } from './seeded-api.ts';

/** The ids of all operations, for tests that are made for each of them. */
export const OPERATION_IDS = operationsOf(currentDocument()).map(({ id }) => id);

/** The operation of that id, in the document that the API serves. */
export function operationOf({ operations }: SeededApi, id: string): Operation {
  const operation = operations.find((each) => each.id === id);
  if (operation) return operation;
  throw new Error(`the API serves no ${id}`);
}

/** Every way to break a request of an operation. */
export function waysOf(api: SeededApi, operation: Operation): readonly RequestWay[] {
  return waysToBreakRequest(operation, api.servers, api.known(operation), namesIn(api));
}

/** Every name that the document gives to a parameter or member, and some that many an API has. */
function namesIn({ document, operations }: SeededApi): readonly string[] {
  const parameters = operations.flatMap((operation) => operation.parameters.map(({ name }) => name));
  const members = membersOf(at(document, 'components', 'schemas')).flatMap((schema) =>
    membersOf(at(document, 'components', 'schemas', schema, 'properties')),
  );
  return [...new Set([...parameters, ...members, 'expand', 'fields', 'page', 'filter', 'q', '__proto__'])];
}
