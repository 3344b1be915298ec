import type { DefinitionFault, InvalidCode, InvalidField } from '@orders/domain';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { describeError, type Described, expected } from './describe-error.ts';

/** Returns the invalid fields that Ajv found in `input`, with paths as in the rest of the API. */
export function toInvalidFields(errors: readonly ErrorObject[], input: unknown): readonly InvalidField[] {
  return described(errors, input).map(({ path, code, message }) => ({ field: fieldOf(path, input), code, message }));
}

/** Returns the same as faults, one for each place. */
export function describeErrors(errors: readonly ErrorObject[], input: unknown): readonly DefinitionFault[] {
  const places = new Map<string, { readonly path: readonly string[]; readonly messages: Set<string> }>();
  for (const { path, message } of described(errors, input)) {
    const key = JSON.stringify(path);
    const place = places.get(key) ?? { path, messages: new Set<string>() };
    places.set(key, place);
    place.messages.add(message);
  }
  return [...places.values()].map(({ path, messages }) => ({ path, message: [...messages].join(', or ') }));
}

/** Describes errors in their order; of an alternative that fits best, or of the alternatives together. */
function described(errors: readonly ErrorObject[], input: unknown): readonly Described[] {
  const found: Described[] = [];
  for (let at = errors.length - 1; at >= 0; at -= 1) {
    const error = errors[at];
    if (!error) continue;
    // Ajv lists the errors inside such a keyword immediately before its own.
    let begin = at;
    if (HAS_PARTS.has(error.keyword)) while (isInside(errors[begin - 1], error)) begin -= 1;
    found.push(...ofKeyword(error, errors.slice(begin, at), input).toReversed());
    at = begin;
  }
  return found.toReversed();
}

/** The keywords whose errors are the reason of the error of the keyword. */
const HAS_PARTS = new Set(['anyOf', 'oneOf', 'not', 'contains', 'propertyNames']);

function isInside(part: ErrorObject | undefined, { instancePath, schemaPath }: ErrorObject): boolean {
  return (
    part !== undefined &&
    part.schemaPath.startsWith(`${schemaPath}/`) &&
    (part.instancePath === instancePath || part.instancePath.startsWith(`${instancePath}/`))
  );
}

function ofKeyword(error: ErrorObject, parts: readonly ErrorObject[], input: unknown): readonly Described[] {
  // The branch that applies has errors of its own.
  if (error.keyword === 'if') return [];
  const path = error.instancePath.split('/').slice(1).map(unescapeStep);
  if (parts.length === 0 || !['anyOf', 'oneOf'].includes(error.keyword)) return [describeError(error, path)];
  const branches = [...Map.groupBy(parts, ({ schemaPath }) => branchOf(schemaPath, error)).values()];
  const isAbout = (part: ErrorObject, keywords: readonly string[]) =>
    part.instancePath === error.instancePath && keywords.includes(part.keyword);
  const ofType = branches.filter((branch) => !branch.some((part) => isAbout(part, ['type'])));
  const [only] = ofType;
  if (only && ofType.length === 1 && !only.some((part) => isAbout(part, ['const', 'enum'])))
    return described(only, input);
  if (parts.every((part) => isAbout(part, ['type', 'const', 'enum']))) {
    const code: InvalidCode = ofType.length === 0 ? 'wrong_type' : 'invalid_value';
    const values = new Set(parts.map((part) => expected(part)));
    return [{ path, code, message: `must be ${[...values].join(' or ')}` }];
  }
  return [{ path, code: 'invalid_value', message: 'must match one of the alternatives of its schema' }];
}

/** Returns the index of the alternative that an error is inside. */
function branchOf(schemaPath: string, alternatives: ErrorObject): string {
  return schemaPath.slice(alternatives.schemaPath.length + 1).split('/')[0] ?? '';
}

/** Returns the path of an invalid field: `items[0].name`, `["a.b"]`. */
function fieldOf(path: readonly string[], input: unknown): string {
  let field = '';
  let value = input;
  for (const step of path) {
    if (Array.isArray(value)) field += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) field += field === '' ? step : `.${step}`;
    else field += `[${JSON.stringify(step)}]`;
    value = memberOf(value, step);
  }
  return field;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const member: unknown = Reflect.get(value, name);
  return member;
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
