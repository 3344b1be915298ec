import { type DefinitionFault, INVALID_FIELDS_MAX, type InvalidCode, type InvalidField } from '@orders/domain';
import { fieldOf, withoutConsequences } from '@orders/domain/custom';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { branchesOf } from './bounded-errors.ts';
import { describeError, type Described, expected, short } from './describe-error.ts';

/** Returns the first invalid fields that Ajv found in `input`, with paths as in the rest of the API. */
export function toInvalidFields(errors: readonly ErrorObject[], input: unknown): readonly InvalidField[] {
  const fields: InvalidField[] = [];
  for (const { path, code, message } of described(errors)) {
    fields.push({ field: fieldOf(path, input), code, message });
    if (fields.length === INVALID_FIELDS_MAX) break;
  }
  return withoutConsequences(fields);
}

/** Returns the same as faults, one for each place. */
export function describeErrors(errors: readonly ErrorObject[]): readonly DefinitionFault[] {
  const places = new Map<string, { readonly path: readonly string[]; readonly messages: Set<string> }>();
  for (const { path, message } of described(errors)) {
    const key = JSON.stringify(path);
    const place = places.get(key) ?? { path, messages: new Set<string>() };
    places.set(key, place);
    place.messages.add(message);
  }
  return [...places.values()].map(({ path, messages }) => ({ path, message: [...messages].join(', or ') }));
}

/** Describes errors in their order; of an alternative that fits best, or of the alternatives together. */
function* described(errors: readonly ErrorObject[]): Generator<Described> {
  for (const error of errors) yield* ofError(error);
}

function ofError(error: ErrorObject): Iterable<Described> {
  // The branch that applies has errors of its own.
  if (error.keyword === 'if') return [];
  const path = error.instancePath.split('/').slice(1).map(unescapeStep);
  const branches = branchesOf(error);
  if (branches.length === 0 || error.keyword === 'propertyNames') return [describeError(error, path)];
  const parts = new Map(branches.map((branch) => [branch, withReasons(branch)]));
  const isAbout = (part: ErrorObject, keywords: readonly string[]) =>
    part.instancePath === error.instancePath && keywords.includes(part.keyword);
  const has = (branch: readonly ErrorObject[], ...keywords: readonly string[]) =>
    parts.get(branch)?.some((part) => isAbout(part, keywords));
  const ofType = branches.filter((branch) => !has(branch, 'type'));
  const [only] = ofType;
  if (only && ofType.length === 1 && !has(only, 'const', 'enum')) return described(only);
  const all = [...parts.values()].flat();
  if (all.every((part) => isAbout(part, ['type', 'const', 'enum']))) {
    const code: InvalidCode = ofType.length === 0 ? 'wrong_type' : 'invalid_value';
    const values = [...new Set(all.map((part) => expected(part)))].join(' or ');
    return [{ path, code, message: `must be ${short(values, 'one of the values of its schema')}` }];
  }
  return [{ path, code: 'invalid_value', message: 'must match one of the alternatives of its schema' }];
}

/** Returns errors, with the errors that are the reason of each before it. */
function withReasons(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (!errors.some((error) => branchesOf(error).length > 0)) return errors;
  return errors.flatMap((error) => [...branchesOf(error).flatMap(withReasons), error]);
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
