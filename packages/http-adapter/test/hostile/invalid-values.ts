import fc from 'fast-check';
import type { RequestSchema } from './request-schema.ts';
import { invalidTexts } from './texts.ts';
import { elements, type Known, mapOf, repeated, validValues } from './valid-values.ts';

/** A value with one invalid place. */
interface Broken {
  readonly value: unknown;
  /** Path of the place as in problems: `items[0].quantity`, `metadata["a.b"]`, `""` for the whole value. */
  readonly field: string;
}

/** A kind of invalid value, generated for one place of a schema. */
export interface Way {
  readonly name: string;
  readonly broken: fc.Arbitrary<Broken>;
}

/** Returns all kinds of values with one invalid place in `schema`. */
export function waysToBreak(schema: RequestSchema, known: Known = {}): readonly Way[] {
  const here = (name: string, values: fc.Arbitrary<unknown>): Way => ({
    name,
    broken: values.map((value) => ({ value, field: '' })),
  });
  return [
    ...otherTypes(schema).map(([name, value]) => here(name, fc.constant(value))),
    ...(schema.types.includes('string')
      ? Object.entries(invalidTexts(schema, () => true)).map(([name, texts]) => here(name, texts))
      : []),
    ...(schema.types.includes('integer') ? [here('out of range', numbersBeyond(schema))] : []),
    ...(schema.types.includes('array') ? inList(schema, known) : []),
    ...(schema.types.includes('object') ? (schema.others ? inMap(schema, known) : inRecord(schema, known)) : []),
  ];
}

function otherTypes({ types, minimum }: RequestSchema): readonly (readonly [string, unknown])[] {
  const values = { null: null, string: '7', integer: 7, number: minimum + 0.5, boolean: true, array: [], object: {} };
  return Object.entries(values)
    .filter(([type]) => !types.includes(type))
    .map(([type, value]) => [`a value of type ${type}`, value]);
}

export function numbersBeyond({ minimum, maximum }: RequestSchema): fc.Arbitrary<number> {
  return fc.constantFrom(minimum - 1, maximum + 1, maximum * 2, -maximum - 1, 1e300);
}

function inList(schema: RequestSchema, known: Known): readonly Way[] {
  const { items, minItems, maxItems } = schema;
  if (!items) return [];
  const valid = fc.array(elements(schema, known), { minLength: minItems, maxLength: minItems + 1 });
  const tooMany = elements(schema, known).map((each) => ({ value: repeated(each, maxItems + 1), field: '' }));
  const tooFew = fc.constant({ value: [], field: '' });
  const inside = waysToBreak(items, known).map(({ name, broken }) => ({
    name: `an element: ${name}`,
    broken: fc.tuple(valid, broken).map(([list, { value, field }]) => ({
      value: [...list.slice(0, maxItems - 1), value],
      field: `[${Math.min(list.length, maxItems - 1)}]${field}`,
    })),
  }));
  return [
    ...(minItems > 0 ? [{ name: 'too few elements', broken: tooFew }] : []),
    { name: 'too many elements', broken: tooMany },
    ...inside,
  ];
}

/** Names of possible but undefined members. */
const STRANGE_NAMES = ['id', 'version', 'status', 'total', 'created_at', 'unexpected', '', '__proto__', 'constructor'];

function inRecord(schema: RequestSchema, known: Known): readonly Way[] {
  const { properties, required } = schema;
  const valid = validValues({ ...schema, types: ['object'] }, known).map(membersOf);
  const names = [...STRANGE_NAMES, ...Object.keys(properties).map((name) => name.toUpperCase())];
  const strange = fc.tuple(valid, fc.constantFrom(...names.filter((name) => !Object.hasOwn(properties, name))));
  const extra = strange.map(([members, name]) => broken([...members, [name, null]], `.${name}`));
  const missing = required.map((name) => ({
    name: `without ${name}`,
    broken: valid.map((members) =>
      broken(
        members.filter(([other]) => other !== name),
        `.${name}`,
      ),
    ),
  }));
  const inside = Object.entries(properties).flatMap(([name, property]) =>
    waysToBreak(property, known).map((way) => ({
      name: `${name}: ${way.name}`,
      broken: fc
        .tuple(valid, way.broken)
        .map(([members, { value, field }]) => broken([...members, [name, value]], `.${name}${field}`)),
    })),
  );
  return [{ name: 'an unknown member', broken: extra }, ...missing, ...inside];
}

function inMap(schema: RequestSchema, known: Known): readonly Way[] {
  const { others, names, maxProperties } = schema;
  if (!others || !names) return [];
  const valid = mapOf(schema, known, 0, 3).map(membersOf);
  const name = validValues(names).map(String);
  const badNames = Object.entries(invalidTexts(names, () => true)).map(([way, texts]) => ({
    name: `a name: ${way}`,
    broken: fc
      .tuple(valid, texts, validValues(others))
      .map(([members, text, value]) => broken([...members, [text, value]], `[${JSON.stringify(text)}]`)),
  }));
  const badValues = waysToBreak(others).map((way) => ({
    name: `a member: ${way.name}`,
    broken: fc
      .tuple(valid, name, way.broken)
      .map(([members, text, { value }]) => broken([...members, [text, value]], `[${JSON.stringify(text)}]`)),
  }));
  const tooMany =
    maxProperties < 1000
      ? [
          {
            name: 'too many members',
            broken: mapOf(schema, known, maxProperties + 1, maxProperties + 1).map((value) => ({ value, field: '' })),
          },
        ]
      : [];
  return [...tooMany, ...badNames, ...badValues];
}

type Members = readonly (readonly [string, unknown])[];

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Generates an object of `members`; the last of equal names counts. */
function broken(members: Members, field: string): Broken {
  return { value: Object.fromEntries(members), field };
}
