/** Returns the value at `path` of a JSON value, or `undefined`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) found = isRecord(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  return found;
}

/** Returns the text at `path`; throws if there is another value. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  throw new Error(`no text at ${path.join('.')} of ${JSON.stringify(value)}`);
}

/** Returns the list at `path`; throws if there is another value. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  if (Array.isArray(found)) return found;
  throw new Error(`no list at ${path.join('.')} of ${JSON.stringify(value)}`);
}

/** Returns the value at `path` of each element of a page. */
export function eachAt({ body }: { readonly body: unknown }, ...path: readonly string[]): readonly unknown[] {
  return listAt(body, 'data').map((element) => at(element, ...path));
}

/**
 * Follows the references of an OpenAPI document, and returns the path of the value that `path` refers to.
 *
 * @throws {Error} if a reference has no target
 */
export function behindReferences(document: unknown, ...path: readonly string[]): readonly string[] {
  const reference = at(document, ...path, '$ref');
  if (typeof reference !== 'string') return path;
  const target = stepsOf(reference);
  if (at(document, ...target) === undefined)
    throw new Error(`${path.join(' ')} refers to ${reference}, which does not exist`);
  return behindReferences(document, ...target);
}

/** Returns the path of a reference within a document. */
export function stepsOf(reference: string): readonly string[] {
  return reference.replace('#/', '').split('/');
}

/** Returns the methods of a path of an OpenAPI document. */
export function methodsOf(document: unknown, path: string): readonly string[] {
  return membersOf(at(document, 'paths', path)).filter((name) => name !== 'parameters');
}

/** Returns the places of the responses of all operations, each once: several operations may refer to one. */
export function responsePlaces(document: unknown): readonly (readonly string[])[] {
  const places = membersOf(at(document, 'paths')).flatMap((path) =>
    methodsOf(document, path).flatMap((method) =>
      membersOf(at(document, 'paths', path, method, 'responses')).map((status) =>
        behindReferences(document, 'paths', path, method, 'responses', status),
      ),
    ),
  );
  return [...new Map(places.map((place) => [place.join(' '), place])).values()];
}

/** Returns the places of all parameters of an operation: its own, and those of its path. */
export function parameterPlaces(document: unknown, path: string, method: string): readonly (readonly string[])[] {
  const lists = [
    ['paths', path, method, 'parameters'],
    ['paths', path, 'parameters'],
  ];
  return lists.flatMap((list) =>
    membersOf(at(document, ...list)).map((index) => behindReferences(document, ...list, index)),
  );
}

/** Returns the names of an object's members. */
export function membersOf(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

/** Checks whether a JSON value is an object. */
export function isRecord(input: unknown): input is Readonly<Record<string | number, unknown>> {
  return typeof input === 'object' && input !== null;
}
