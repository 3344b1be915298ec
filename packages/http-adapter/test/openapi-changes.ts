import { breakingChanges } from '../scripts/breaking-changes.ts';
import { currentDocument } from '../scripts/current-document.ts';
import { at, behindReferences, isRecord, parameterPlaces, responsePlaces } from './json.ts';

/** Changes a document in place. */
export type Change = (document: unknown) => void;

/** Made for all tests at once, because that takes longer than a comparison. */
const CURRENT: unknown = currentDocument();

/** Returns the breaking changes when a document is changed. */
export function breakingWhen(change: Change): readonly string[] {
  const before: unknown = structuredClone(CURRENT);
  const after: unknown = structuredClone(before);
  change(after);
  return breakingChanges(before, after);
}

/** Returns the object at `path`. */
export function members(document: unknown, ...path: readonly (string | number)[]): object {
  const found = at(document, ...path);
  if (!isRecord(found)) throw new Error(`nothing at ${path.join(' ')}`);
  return found;
}

export function operation(document: unknown, path: string, method: string): object {
  return members(document, 'paths', path, method);
}

export function schema(document: unknown, name: string): object {
  return members(document, 'components', 'schemas', name);
}

export function property(document: unknown, name: string, of: string): object {
  return members(document, 'components', 'schemas', name, 'properties', of);
}

/** Returns a parameter of a GET operation. */
export function parameter(document: unknown, path: string, name: string): object {
  const all = parameterPlaces(document, path, 'get');
  const found = all.find((each) => at(document, ...each, 'name') === name) ?? [];
  return members(document, ...found);
}

/** Returns the response with `status` of `get_order`. */
export function response(document: unknown, status: number): object {
  return members(document, ...behindReferences(document, 'paths', '/orders/{id}', 'get', 'responses', `${status}`));
}

/** Returns the responses of all operations, each once. */
export function responses(document: unknown): readonly object[] {
  return responsePlaces(document).map((place) => members(document, ...place));
}

/** Returns the schemas of the problems of `get_order` with `status`, which it changes to a list if there is one. */
export function problems(document: unknown, status: number): unknown[] {
  const content = members(response(document, status), 'content', 'application/problem+json');
  const single = at(content, 'schema');
  if (at(single, 'oneOf') === undefined) set(content, 'schema', { oneOf: [single] });
  return list(members(content, 'schema'), 'oneOf');
}

export function set(of: object, name: string, value: unknown): void {
  Reflect.set(of, name, value);
}

export function drop(of: object, name: string): void {
  if (!Reflect.has(of, name)) throw new Error(`there is no ${name} to drop`);
  Reflect.deleteProperty(of, name);
}

/** Returns a member that is a list. Creates it if it is absent. */
export function list(of: object, name: string): unknown[] {
  const found: unknown = Reflect.get(of, name);
  if (Array.isArray(found)) return found;
  Reflect.set(of, name, []);
  return list(of, name);
}

export function without(of: object, name: string, value: unknown): void {
  if (!list(of, name).includes(value)) throw new Error(`there is no ${String(value)} in ${name}`);
  Reflect.set(
    of,
    name,
    list(of, name).filter((each) => each !== value),
  );
}
