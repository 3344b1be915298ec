import type { InvalidCode } from '@orders/domain';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { FORMAT_LIMITS } from './json-schema-keywords.ts';

/** An error of Ajv in words of the API. */
export interface Described {
  /** The names and indexes of the members that lead to the value. */
  readonly path: readonly string[];
  readonly code: InvalidCode;
  readonly message: string;
}

type Params = Readonly<Record<string, unknown>>;

/** The code of each keyword, and the message for its parameters. */
const MESSAGES: Readonly<Record<string, readonly [InvalidCode, (params: Params) => string]>> = {
  required: ['required', () => 'is required'],
  dependentRequired: ['required', ({ property }) => `is required with ${String(property)}`],
  additionalProperties: ['unknown_field', () => 'is not a known field'],
  unevaluatedProperties: ['unknown_field', () => 'is not a known field'],
  minLength: ['too_short', ({ limit }) => `must have at least ${count(limit, 'character')}`],
  maxLength: ['too_long', ({ limit }) => `must have at most ${count(limit, 'character')}`],
  minItems: ['too_short', ({ limit }) => `must have at least ${count(limit, 'item')}`],
  maxItems: ['too_long', ({ limit }) => `must have at most ${count(limit, 'item')}`],
  items: ['too_long', ({ limit }) => `must have at most ${count(limit, 'item')}`],
  unevaluatedItems: ['too_long', ({ limit }) => `must have at most ${count(limit, 'item')}`],
  minProperties: ['too_short', ({ limit }) => `must have at least ${count(limit, 'member')}`],
  maxProperties: ['too_long', ({ limit }) => `must have at most ${count(limit, 'member')}`],
  minimum: ['out_of_range', ({ limit }) => `must be at least ${String(limit)}`],
  maximum: ['out_of_range', ({ limit }) => `must be at most ${String(limit)}`],
  exclusiveMinimum: ['out_of_range', ({ limit }) => `must be more than ${String(limit)}`],
  exclusiveMaximum: ['out_of_range', ({ limit }) => `must be less than ${String(limit)}`],
  ...Object.fromEntries(
    Object.entries(FORMAT_LIMITS).map(([keyword, words]): [string, (typeof MESSAGES)[string]] => [
      keyword,
      ['out_of_range', ({ limit }) => `must be ${words} ${short(String(limit), 'its limit')}`],
    ]),
  ),
  multipleOf: ['invalid_value', ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`],
  pattern: ['invalid_format', ({ pattern }) => `must match ${short(String(pattern), 'its pattern')}`],
  format: ['invalid_format', ({ format }) => `must have the format ${String(format)}`],
  uniqueItems: ['invalid_value', () => 'must not contain an item twice'],
  not: ['invalid_value', () => 'must not be a value that its schema excludes'],
  oneOf: ['invalid_value', () => 'must match exactly one of the alternatives of its schema'],
  contains: ['invalid_value', () => 'must have an item that its schema requires'],
  propertyNames: ['invalid_value', () => 'must have another name'],
  'false schema': ['invalid_value', () => 'must be absent'],
};

/** The values that a type has, in words. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** Describes an error at `path`, or at the member of it that the error is about. */
export function describeError(error: ErrorObject, path: readonly string[]): Described {
  const { keyword } = error;
  const params: Params = error.params;
  const member =
    params['missingProperty'] ??
    params['additionalProperty'] ??
    params['unevaluatedProperty'] ??
    (keyword === 'propertyNames' ? params['propertyName'] : undefined);
  const place = typeof member === 'string' ? [...path, member] : path;
  if (keyword === 'type') return { path: place, code: 'wrong_type', message: `must be ${expected(error)}` };
  if (keyword === 'const' || keyword === 'enum')
    return { path: place, code: 'invalid_value', message: `must be ${expected(error)}` };
  const [code, message] = MESSAGES[keyword] ?? ['invalid_value', () => `must match ${keyword} of its schema`];
  return { path: place, code, message: message(params) };
}

/** Returns the values that `type`, `const` or `enum` expects. */
export function expected({ keyword, params }: ErrorObject): string {
  const { type, allowedValue, allowedValues }: Params = params;
  if (keyword === 'const') return short(valueOf(allowedValue), 'the value of its schema');
  if (keyword === 'enum') return short(`one of ${listOf(allowedValues, valueOf)}`, 'one of the values of its schema');
  return (Array.isArray(type) ? type : [type]).map((name) => TYPES[String(name)] ?? String(name)).join(' or ');
}

function listOf(values: unknown, show: (value: unknown) => string): string {
  return Array.isArray(values) ? values.map((value: unknown) => show(value)).join(', ') : '';
}

function valueOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function count(limit: unknown, unit: string): string {
  return `${String(limit)} ${unit}${limit === 1 ? '' : 's'}`;
}

/** Returns a text that is short enough for a message, or else `instead`. */
export function short(text: string, instead: string): string {
  return text.length > 200 ? instead : text;
}
