import { isSchema, type JsonSchema, localPointer, mapMembers, rebased } from './rebased-schema.ts';

/** Keywords that depend on the whole value, which a patch is not. */
const OF_THE_WHOLE = [
  'required',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'default',
  'examples',
  'example',
  '$schema',
  '$id',
  '$anchor',
  '$defs',
  'definitions',
];

/** Keywords that choose among schemas by the whole value. */
const CHOOSING = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', '$dynamicRef', '$recursiveRef'];

/** What remains of a schema whose patches can have any form. */
const WORDS = ['title', 'description', 'deprecated'];

/**
 * Returns the schema of merge patches (RFC 7396) of values that `root` describes, as it stands at `place`. Members are
 * optional and can be null at each level, and arrays and texts are replaced. It allows too much where the form of a patch
 * depends on the whole value: the server validates what results. `rootPlace` is where the document has `root`.
 */
export function mergePatchSchema(root: JsonSchema, rootPlace: string, place: string): JsonSchema {
  /** Names of the parts by the pointers of references to them. A part may refer to itself. */
  const names = new Map<string, string>();
  const parts: [string, unknown][] = [];

  const patchOf = (schema: unknown): unknown => {
    if (!isSchema(schema)) return schema;
    const { $ref: reference } = schema;
    if (typeof reference === 'string') return partOf(reference);
    if (CHOOSING.some((keyword) => keyword in schema)) return wordsOf(schema);
    const isFixed = 'enum' in schema || 'const' in schema;
    if (!canBeObject(schema)) return rebased(schema, rootPlace, root['$id']);
    return isFixed ? wordsOf(schema) : patchOfObject(schema);
  };

  const patchOfObject = (schema: JsonSchema): JsonSchema => {
    const { properties, patternProperties, additionalProperties, ...others } = schema;
    const member = (each: unknown) => nullable(patchOf(each));
    const kept = Object.entries(others).filter(([keyword]) => !OF_THE_WHOLE.includes(keyword));
    return {
      ...rebased(Object.fromEntries(kept), rootPlace, root['$id']),
      ...(isSchema(properties) && { properties: mapMembers(properties, member) }),
      ...(isSchema(patternProperties) && { patternProperties: mapMembers(patternProperties, member) }),
      // Null removes what is not there, too. As additional properties, generators would make all members null.
      ...(additionalProperties === false
        ? { unevaluatedProperties: { type: 'null' } }
        : additionalProperties !== undefined && { additionalProperties: member(additionalProperties) }),
    };
  };

  const partOf = (reference: string): JsonSchema => {
    const pointer = localPointer(reference, root['$id']);
    if (pointer === undefined) return {};
    const name = names.get(pointer) ?? `part${names.size + 1}`;
    if (!names.has(pointer)) {
      names.set(pointer, name);
      parts.push([name, patchOf(partAt(root, pointer)) ?? {}]);
    }
    return { $ref: `${place}/$defs/${name}` };
  };

  const patch = patchOf(root);
  const whole = isSchema(patch) ? patch : {};
  return parts.length === 0 ? whole : { ...whole, $defs: Object.fromEntries(parts) };
}

function canBeObject({ type, enum: values, const: value }: JsonSchema): boolean {
  if (type !== undefined) return [type].flat().includes('object');
  if (Array.isArray(values)) return values.some(isSchema);
  return value === undefined || isSchema(value);
}

function wordsOf(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => WORDS.includes(keyword)));
}

/** Returns a schema that allows null, too. */
function nullable(schema: unknown): unknown {
  if (!isSchema(schema)) return schema === false ? { type: 'null' } : schema;
  const isOneOf = '$ref' in schema || 'enum' in schema || 'const' in schema;
  if (isOneOf) return { anyOf: [schema, { type: 'null' }] };
  const { type } = schema;
  return type === undefined ? schema : { ...schema, type: [...new Set([type, 'null'].flat())] };
}

/** Returns the part of a schema that a JSON pointer in a URI refers to (RFC 6901 section 6). */
function partAt(root: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (value: unknown, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
      root,
    );
}
