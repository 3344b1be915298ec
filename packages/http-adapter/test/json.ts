/** What lies at `path` of a JSON value; `undefined` where there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) found = isRecord(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  return found;
}

/** The text at `path`. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  throw new Error(`no text at ${path.join('.')} of ${JSON.stringify(value)}`);
}

/** The list at `path`. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  if (Array.isArray(found)) return found;
  throw new Error(`no list at ${path.join('.')} of ${JSON.stringify(value)}`);
}

/**
 * Follows the references of an OpenAPI document: returns the path to what stands at `path`, behind every `$ref` there.
 *
 * @throws {Error} when a reference leads nowhere
 */
export function behindReferences(document: unknown, ...path: readonly string[]): readonly string[] {
  const reference = at(document, ...path, '$ref');
  if (typeof reference !== 'string') return path;
  const target = stepsOf(reference);
  if (at(document, ...target) === undefined) throw new Error(`${path.join(' ')} refers to ${reference}: nothing there`);
  return behindReferences(document, ...target);
}

/** The path that a reference within a document names. */
export function stepsOf(reference: string): readonly string[] {
  return reference.replace('#/', '').split('/');
}

/** The names of an object's members. */
export function membersOf(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

/** Whether a JSON value has members. */
export function isRecord(input: unknown): input is Readonly<Record<string | number, unknown>> {
  return typeof input === 'object' && input !== null;
}
