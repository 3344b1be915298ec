import { Ajv2020 } from 'ajv/dist/2020.js';

/** A JSON schema that is not a boolean. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** A part of a schema that is a schema itself, with the members that lead to it. */
export interface SchemaPart {
  readonly path: readonly string[];
  readonly schema: unknown;
}

/** The keywords of JSON Schema 2020-12, each with the schema of its values, from the meta-schemas that Ajv has. */
const VALUES: ReadonlyMap<string, unknown> = new Map(
  Object.entries(new Ajv2020().schemas).flatMap(([id, known]) => {
    const { properties }: SchemaObject = isSchemaObject(known?.schema) ? known.schema : {};
    return id.includes('/draft/2020-12/meta/') && isSchemaObject(properties) ? Object.entries(properties) : [];
  }),
);

/** Keywords that no schema may have here: `$ref` alone leads to another part. */
const UNSUPPORTED = ['$anchor', '$dynamicAnchor', '$dynamicRef', '$vocabulary'];

/** Keywords of JSON Schema 2020-12 that only the root of a schema may have here. */
export const ROOT_KEYWORDS: readonly string[] = ['$id', '$schema'];

/** Keywords beyond JSON Schema: the limits of dates and times, each with its words. Another member may be the limit. */
export const FORMAT_LIMITS = {
  formatMinimum: 'at least',
  formatMaximum: 'at most',
  formatExclusiveMinimum: 'after',
  formatExclusiveMaximum: 'before',
};

/** Keywords that any schema may have here: those of JSON Schema 2020-12, and {@link FORMAT_LIMITS}. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  [...VALUES.keys(), ...Object.keys(FORMAT_LIMITS)].filter(
    (keyword) => ![...ROOT_KEYWORDS, ...UNSUPPORTED].includes(keyword),
  ),
);

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSchemaOfSchemas(values: unknown): boolean {
  return isSchemaObject(values) && '$dynamicRef' in values;
}

/** Returns `schema` with each of its parts replaced by the result of `map`. */
export function mapParts(schema: SchemaObject, map: (part: SchemaPart) => unknown): SchemaObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const values = VALUES.get(keyword);
    if (isSchemaOfSchemas(values)) return [keyword, map({ path: [keyword], schema: value })];
    if (!isSchemaObject(values)) return [keyword, value];
    if (values['$ref'] === '#/$defs/schemaArray' && Array.isArray(value))
      return [keyword, value.map((part: unknown, index) => map({ path: [keyword, `${index}`], schema: part }))];
    if (isSchemaOfSchemas(values['additionalProperties']) && isSchemaObject(value)) {
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
