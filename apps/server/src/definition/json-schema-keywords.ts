/** A JSON schema that is not a boolean. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** A part of a schema that is a schema itself, with the members that lead to it. */
export interface SchemaPart {
  readonly path: readonly string[];
  readonly schema: unknown;
}

/** Keywords whose value is a schema. */
const SCHEMA = [
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** Keywords whose value is an array of schemas. */
const SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];

/** Keywords whose value is an object with schemas. */
const NAMED_SCHEMAS = ['$defs', 'dependentSchemas', 'patternProperties', 'properties'];

/** Keywords whose value contains no schema. */
const VALUES = [
  '$comment',
  '$ref',
  'const',
  'contentEncoding',
  'contentMediaType',
  'default',
  'dependentRequired',
  'deprecated',
  'description',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'readOnly',
  'required',
  'title',
  'type',
  'uniqueItems',
  'writeOnly',
];

/** Keywords of JSON Schema 2020-12 that only the root of a schema may have here. */
export const ROOT_KEYWORDS: readonly string[] = ['$id', '$schema'];

/** Keywords of JSON Schema 2020-12 that any schema may have here. */
export const KEYWORDS: ReadonlySet<string> = new Set([...SCHEMA, ...SCHEMAS, ...NAMED_SCHEMAS, ...VALUES]);

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns `schema` with each of its parts replaced by the result of `map`. */
export function mapParts(schema: SchemaObject, map: (part: SchemaPart) => unknown): SchemaObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (SCHEMA.includes(keyword)) return [keyword, map({ path: [keyword], schema: value })];
    if (SCHEMAS.includes(keyword) && Array.isArray(value))
      return [keyword, value.map((part: unknown, index) => map({ path: [keyword, `${index}`], schema: part }))];
    if (NAMED_SCHEMAS.includes(keyword) && isSchemaObject(value)) {
      const parts = Object.entries(value).map(([name, part]): [string, unknown] => [
        name,
        map({ path: [keyword, name], schema: part }),
      ]);
      return [keyword, Object.fromEntries(parts)];
    }
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}
