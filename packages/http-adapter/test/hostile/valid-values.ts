import fc from 'fast-check';
import type { RequestSchema } from './request-schema.ts';
import { validTexts } from './texts.ts';

/** Meaningful values by member or parameter name, which generators use half of the time. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** Generates values that `schema` allows, including its limits. */
export function validValues(schema: RequestSchema, known: Known = {}): fc.Arbitrary<unknown> {
  const kinds = schema.types.map((type) => ({
    weight: type === 'null' ? 1 : 4,
    arbitrary: ofType(type, schema, known),
  }));
  return fc.oneof(...kinds);
}

/** Generates such values for the member or parameter `name`. */
export function validNamed(name: string, schema: RequestSchema, known: Known): fc.Arbitrary<unknown> {
  const values = known[name] ?? [];
  const any = validValues(schema, known);
  return values.length === 0 ? any : fc.oneof(fc.constantFrom(...values), any);
}

function ofType(type: string, schema: RequestSchema, known: Known): fc.Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'string') return validTexts(schema);
  if (type === 'integer') return integers(schema);
  if (type === 'boolean') return fc.boolean();
  return type === 'array' ? lists(schema, known) : objects(schema, known);
}

function integers({ minimum: min, maximum: max }: RequestSchema): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
}

function lists(schema: RequestSchema, known: Known): fc.Arbitrary<readonly unknown[]> {
  const { minItems, maxItems } = schema;
  const element = elements(schema, known);
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(element, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) }) },
    { weight: 1, arbitrary: element.map((each) => repeated(each, maxItems)) },
  );
}

export function elements({ items }: RequestSchema, known: Known): fc.Arbitrary<unknown> {
  if (!items) throw new Error('a list of any values');
  return validValues(items, known);
}

export function repeated(value: unknown, times: number): readonly unknown[] {
  return Array.from({ length: times }, () => value);
}

function objects(schema: RequestSchema, known: Known): fc.Arbitrary<object> {
  return schema.others ? maps(schema, known) : records(schema, known);
}

function records({ properties, required }: RequestSchema, known: Known): fc.Arbitrary<object> {
  const members = Object.entries(properties).map(([name, schema]) => [name, validNamed(name, schema, known)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required], noNullPrototype: true });
}

function maps(schema: RequestSchema, known: Known): fc.Arbitrary<object> {
  const { maxProperties } = schema;
  const few = mapOf(schema, known, 0, 3);
  const full = mapOf(schema, known, Math.min(maxProperties, FULL), Math.min(maxProperties, FULL));
  return fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: full });
}

/** Maximum number of generated members of an object without a limit. */
const FULL = 51;

export function mapOf(
  { others, names }: RequestSchema,
  known: Known,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<object> {
  if (!others || !names) throw new Error('an object of any values');
  const member = fc.tuple(validTexts(names), validValues(others, known));
  const members = fc.uniqueArray(member, { minLength, maxLength, selector: ([name]) => name });
  // This defines members, whereas an assignment to `__proto__` would set the prototype.
  return members.map((entries) => Object.fromEntries(entries));
}
