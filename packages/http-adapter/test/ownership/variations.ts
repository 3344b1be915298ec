import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { at, isRecord } from '../fixtures/json.ts';
import { waysToBreak } from '../hostile/invalid-values.ts';
import type { Body, Operation, Parameter } from '../hostile/operations.ts';
import { validValues } from '../hostile/valid-values.ts';
import { aBody, type Source } from './bodies.ts';
import { parametersBesideId } from './families.ts';
import { examplesOf } from './holdings.ts';
import { type Filled, inJson } from './party.ts';

/** A variation of a request; absent members keep their defaults. */
export interface Variation extends Partial<Omit<Filled, 'id'>> {
  readonly label: string;
  readonly spell?: (id: string) => string;
}

/** Meaningful values by parameter name. */
export type Values = Readonly<Record<string, readonly string[]>>;

/** Returns each variation, and all pairs of different parts. */
export function combined(parts: readonly (readonly Variation[])[]): readonly Variation[] {
  const pairs = parts.flatMap((part, index) =>
    part.flatMap((one) => parts.slice(index + 1).flatMap((other) => other.map((each) => both(one, each)))),
  );
  return [...parts.flat(), ...pairs];
}

function both(one: Variation, other: Variation): Variation {
  return {
    ...one,
    ...other,
    label: `${one.label}, ${other.label}`,
    parameters: { ...one.parameters, ...other.parameters },
  };
}

/** Returns variations of the parameters beside the id of the resource, one part for each. */
export function inParameters(operation: Operation, known: Values, source: Source): readonly Variation[][] {
  return parametersBesideId(operation).map((parameter) =>
    valuesOf(parameter, known, source).map((value) => ({
      label: `${parameter.name} ${value}`,
      parameters: { [parameter.name]: value },
    })),
  );
}

/** Returns the known values of a parameter, or some that its schema allows; in the path both. */
function valuesOf({ name, place, schema }: Parameter, known: Values, source: Source): readonly string[] {
  const { isUuid, values, types, minimum, maximum, items } = schema;
  if (place === 'path') return [...(known[name] ?? []), isUuid ? randomUUID() : `${maximum}`];
  if (known[name]) return known[name];
  if (types.includes('integer')) return [minimum, maximum].map(String);
  return [...(values ?? items?.values ?? [String(aBody(schema, source, 'all'))])];
}

/** Returns variations of the server and of the spelling of the id. */
export function inPath(servers: readonly string[]): readonly Variation[] {
  return [
    ...servers.slice(1).map((server) => ({ label: `at ${server === '' ? '/' : server}`, server })),
    { label: 'in upper case', spell: (id) => id.toUpperCase() },
  ];
}

/** Returns variations of the body: the examples, each member alone, and members of `shown`. */
export function inBody(operation: Operation, shown: unknown, source: Source): readonly Variation[] {
  const { body } = operation;
  if (!body) return [];
  const [, ...examples] = examplesOf(operation);
  const types = body.types.slice(1).map((type) => ({ type, text: examplesOf(operation)[0]?.text ?? '' }));
  const alone = Object.entries(body.schema.properties).flatMap(([name, schema]) => {
    const theirs = isRecord(shown) && Object.hasOwn(shown, name) ? [at(shown, name)] : [];
    const values = [aBody(schema, source, 'all', name), ...(schema.values ?? []), ...theirs];
    return values.map((value) => inJson(operation, { [name]: value }));
  });
  const all = [...examples, ...types, ...alone, ...(body.required ? [] : [undefined])];
  return all.map((each) => ({ label: each ? `${each.type} ${each.text}` : 'no body', body: each }));
}

const SAMPLE = { seed: 20_260_102, numRuns: 1 };

/** Returns generated valid and invalid bodies. */
export function anyBodies(operation: Operation): readonly Variation[] {
  const { body } = operation;
  if (!body) return [];
  const valid = fc.sample(validValues(body.schema), { ...SAMPLE, numRuns: 5 });
  const broken = waysToBreak(body.schema).flatMap((way) => fc.sample(way.broken, SAMPLE).map(({ value }) => value));
  const texts = ['', '{', 'null', '"text"', ...[...valid, ...broken].map((value) => JSON.stringify(value))];
  return [...typed(body, texts), { label: 'a body of another type', body: { type: 'text/plain', text: 'text' } }];
}

function typed({ types: [type = ''] }: Body, texts: readonly string[]): readonly Variation[] {
  return texts.map((text) => ({ label: `${type} ${text.slice(0, 200)}`, body: { type, text } }));
}
