import type { BodyBudget } from '../request-state.ts';
import { keptBytesMax } from './schemas.ts';

/** The budget of an operation whose largest body is small or absent: an invalid one is described then, too. */
const LEAST: BodyBudget = { bytes: 64 * 1024, values: 1000 };

/** Bytes of a character in JSON at most: two escaped surrogates. */
const CHARACTER = 12;
/** Bytes of a character of a name, which the API chooses, at most. */
const NAME_CHARACTER = 6;

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the budget of bodies with `schema`: as many bytes as its largest value has if every character is escaped, and
 * twice as many members and elements. More cause no further error than those that these can cause.
 *
 * @throws {TypeError} a part of the schema has no limit
 */
export function bodyBudget(schema: object | undefined): BodyBudget {
  if (!schema) return LEAST;
  const { bytes, values } = largest({ ...schema });
  return { bytes: Math.max(LEAST.bytes, bytes), values: Math.max(LEAST.values, 2 * values) };
}

function largest(schema: Schema): BodyBudget {
  const compact = keptBytesMax(schema);
  // A byte of compact JSON is up to six in other JSON. An element takes at least two, so that half as many, doubled, suffice.
  if (compact !== undefined) return { bytes: NAME_CHARACTER * compact, values: compact / 4 };
  const { anyOf, type } = schema;
  const sizes = Array.isArray(anyOf)
    ? anyOf.map((each: object) => largest({ ...each }))
    : [type].flat().map((each) => ofType(each, schema));
  return {
    bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
    values: Math.max(...sizes.map(({ values }) => values)),
  };
}

function ofType(type: unknown, schema: Schema): BodyBudget {
  switch (type) {
    case 'null':
      return { bytes: 'null'.length, values: 0 };
    case 'boolean':
      return { bytes: 'false'.length, values: 0 };
    case 'integer':
      return { bytes: `-${limit(schema, 'maximum')}`.length, values: 0 };
    case 'string':
      return { bytes: textBytes(schema), values: 0 };
    case 'array': {
      const element = largest(part(schema, 'items'));
      const count = limit(schema, 'maxItems');
      return { bytes: 2 + count * (element.bytes + 1), values: count * (1 + element.values) };
    }
    case 'object':
      return ofObject(schema);
    default:
      throw new TypeError(`a body cannot have the type ${String(type)}`);
  }
}

function ofObject(schema: Schema): BodyBudget {
  const { properties, additionalProperties } = schema;
  const members: object = typeof properties === 'object' && properties !== null ? properties : {};
  let [bytes, values] = [2, 0];
  const add = (count: number, name: number, size: BodyBudget): void => {
    // Quotes, colon and comma.
    bytes += count * (name + 4 + size.bytes);
    values += count * (1 + size.values);
  };
  for (const [name, member] of Object.entries<object>({ ...members })) {
    add(1, NAME_CHARACTER * name.length, largest({ ...member }));
  }
  if (typeof additionalProperties === 'object') {
    const name = textBytes(part(schema, 'propertyNames'));
    add(limit(schema, 'maxProperties'), name, largest(part(schema, 'additionalProperties')));
  }
  return { bytes, values };
}

function textBytes(schema: Schema): number {
  const { enum: known } = schema;
  if (!Array.isArray(known)) return 2 + CHARACTER * limit(schema, 'maxLength');
  return 2 + NAME_CHARACTER * Math.max(...known.map((value) => String(value).length));
}

function part(schema: Schema, keyword: string): Schema {
  const value = schema[keyword];
  if (typeof value !== 'object' || value === null) throw new TypeError(`a body has no limit: ${keyword} is missing`);
  return { ...value };
}

function limit(schema: Schema, keyword: string): number {
  const value = schema[keyword];
  if (typeof value !== 'number') throw new TypeError(`a body has no limit: ${keyword} is missing`);
  return value;
}
