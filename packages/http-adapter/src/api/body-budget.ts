import type { BodyBudget } from '../request-state.ts';
import { budgetTogether, CHARACTER_BYTES, ESCAPE_BYTES, keptBytesMax } from './schemas.ts';

/** The budget of an operation whose largest body is small or absent: an invalid one is described then, too. */
const LEAST: BodyBudget = { bytes: 64 * 1024, values: 1000 };

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the budget of bodies with `schema`: as many bytes as its largest value has if every character is escaped, and
 * twice as many members and elements. More cause no further error than those that these can cause.
 *
 * @throws {TypeError} a part of the schema has no limit
 */
export function bodyBudget(schema: object | undefined): BodyBudget {
  if (!schema) return LEAST;
  // Each once, however often its schema occurs in a list.
  const together = new Set<BodyBudget>();
  const sizes = [largest({ ...schema }, together), ...together];
  const sum = (count: keyof BodyBudget) => sizes.reduce((total, size) => total + size[count], 0);
  return { bytes: Math.max(LEAST.bytes, sum('bytes')), values: Math.max(LEAST.values, 2 * sum('values')) };
}

function largest(schema: Schema, together: Set<BodyBudget>): BodyBudget {
  const shared = budgetTogether(schema);
  if (shared) {
    together.add(shared);
    return { bytes: 0, values: 0 };
  }
  const compact = keptBytesMax(schema);
  // An element takes at least two bytes, so that half as many, doubled, suffice.
  if (compact !== undefined) return { bytes: ESCAPE_BYTES * compact, values: compact / 4 };
  const { anyOf, type } = schema;
  const sizes = Array.isArray(anyOf)
    ? anyOf.map((each: object) => largest({ ...each }, together))
    : [type].flat().map((each) => ofType(each, schema, together));
  return {
    bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
    values: Math.max(...sizes.map(({ values }) => values)),
  };
}

function ofType(type: unknown, schema: Schema, together: Set<BodyBudget>): BodyBudget {
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
      const element = largest(part(schema, 'items'), together);
      const count = limit(schema, 'maxItems');
      return { bytes: 2 + count * (element.bytes + 1), values: count * (1 + element.values) };
    }
    case 'object':
      return ofObject(schema, together);
    default:
      throw new TypeError(`a body cannot have the type ${String(type)}`);
  }
}

function ofObject(schema: Schema, together: Set<BodyBudget>): BodyBudget {
  const { properties, additionalProperties } = schema;
  const members: object = typeof properties === 'object' && properties !== null ? properties : {};
  let [bytes, values] = [2, 0];
  const add = (count: number, name: number, size: BodyBudget): void => {
    // Quotes, colon and comma.
    bytes += count * (name + 4 + size.bytes);
    values += count * (1 + size.values);
  };
  for (const [name, member] of Object.entries<object>({ ...members })) {
    add(1, ESCAPE_BYTES * name.length, largest({ ...member }, together));
  }
  if (typeof additionalProperties === 'object') {
    const name = textBytes(part(schema, 'propertyNames'));
    add(limit(schema, 'maxProperties'), name, largest(part(schema, 'additionalProperties'), together));
  }
  return { bytes, values };
}

function textBytes(schema: Schema): number {
  const { enum: known } = schema;
  if (!Array.isArray(known)) return 2 + CHARACTER_BYTES * limit(schema, 'maxLength');
  return 2 + ESCAPE_BYTES * Math.max(...known.map((value) => String(value).length));
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
