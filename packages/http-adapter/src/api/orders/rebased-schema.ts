/** A JSON schema that is not `true` or `false`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords whose members are schemas by a name, which may look like a keyword. */
const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Keywords whose values are data, which may look like a schema. */
const DATA = ['enum', 'const', 'default', 'examples', 'example'];

/**
 * Returns a schema as it stands at `place` in a document, such as `#/components/schemas/OrderCustom`. References to its own
 * parts begin with the place, and it has neither a dialect nor an id. `id` is that of the whole, of which it may be a part.
 */
export function rebased(
  { $schema: _dialect, $id: _id, ...schema }: JsonSchema,
  place: string,
  id: unknown,
): JsonSchema {
  return inSchema(schema, (reference) => {
    const pointer = localPointer(reference, id);
    return pointer === undefined ? reference : `${place}${pointer}`;
  });
}

/** Returns the JSON pointer of a reference to a part of the schema with this id; `undefined` for any other reference. */
export function localPointer(reference: string, id: unknown): string | undefined {
  const [base = '', pointer = ''] = reference.split('#', 2);
  const isLocal = base === '' || base === id;
  return isLocal && (pointer === '' || pointer.startsWith('/')) ? pointer : undefined;
}

function inSchema(schema: JsonSchema, rebase: (reference: string) => string): JsonSchema {
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === '$ref' && typeof value === 'string') return [keyword, rebase(value)];
    if (DATA.includes(keyword)) return [keyword, value];
    if (NAMED_SCHEMAS.includes(keyword) && isSchema(value)) return [keyword, mapMembers(value, below)];
    return [keyword, below(value)];
  });
  function below(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(below);
    // The references of a schema with an id of its own do not depend on the place.
    return isSchema(value) && !('$id' in value) ? inSchema(value, rebase) : value;
  }
  return Object.fromEntries(members);
}

/** Returns an object with each member mapped. */
export function mapMembers(object: JsonSchema, map: (member: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member)]));
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
