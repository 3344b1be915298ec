import { err, ok } from 'neverthrow';
import type { CustomData } from './orders/definition/order-definition.ts';
import { INVALID_CODES, type InvalidCode } from './shared/invalid-codes.ts';
import { INVALID_FIELDS_MAX, type InvalidField, isPlainObject } from './shared/validation.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** One step of the path of an issue. */
type Step = PropertyKey | { readonly key: PropertyKey };

interface Issue {
  readonly message: string;
  readonly path?: readonly Step[] | undefined;
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** A schema of any library that follows https://standardschema.dev, such as Zod, Valibot and ArkType. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** What some libraries have beside it: the JSON schema of what the schema accepts. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema } | undefined;
  };
}

/** Options of {@link customFrom}. */
export interface CustomOptions<IsRequired extends boolean> {
  /** The JSON schema of what the schema accepts. Default: that of the library; without one, of anything. */
  readonly schema?: JsonSchema | undefined;
  /** Whether a new order must have custom data. Orders are still read as `null`: see {@link CustomData.required}. Default: `false`. */
  readonly required?: IsRequired | undefined;
}

/**
 * Returns the custom data that a schema of a library describes. The fields of what it rejects have the paths and codes of
 * this package. The messages are of the library. What the schema returns must be what it accepts, too: a change parses it
 * again. An issue with `params.code`, which a refinement of Zod can have, has that code.
 *
 * The schema must be synchronous: `defineOrders` refuses one that returns a promise.
 */
export function customFrom<Input, Output, const IsRequired extends boolean = false>(
  schema: StandardSchema<Input, Output>,
  { schema: given, required }: CustomOptions<IsRequired> = {},
): CustomData<Output, Input, IsRequired> {
  const { validate, jsonSchema } = schema['~standard'];
  return {
    schema: given ?? jsonSchema?.input({ target: 'draft-2020-12' }) ?? {},
    ...(required !== undefined && { required }),
    parse: (input) => {
      const validated = validate(input);
      if ('then' in validated) throw new TypeError('the schema of custom data is asynchronous');
      if (!validated.issues) return ok(validated.value);
      const fields = validated.issues.slice(0, INVALID_FIELDS_MAX).flatMap((issue) => invalidFields(issue, input));
      return err(withoutConsequences(fields));
    },
  };
}

/** Returns invalid fields, each once for a code, and without those that follow from the wrong type of the same field. */
function withoutConsequences(fields: readonly InvalidField[]): readonly InvalidField[] {
  const mistyped = new Set(fields.flatMap(({ code, field }) => (code === 'wrong_type' ? [field] : [])));
  const each = new Map(fields.toReversed().map((invalid) => [`${invalid.code} ${invalid.field}`, invalid]));
  return [...each.values()].toReversed().filter(({ code, field }) => code === 'wrong_type' || !mistyped.has(field));
}

/** Returns the invalid fields of an issue: one, or one for each unknown member. */
function invalidFields(issue: Issue, input: unknown): readonly InvalidField[] {
  // Not `map`, which makes another path of one that is a subclass of arrays.
  const path = Array.from(issue.path ?? [], (step) => String(typeof step === 'object' ? step.key : step));
  const unknown = detail(issue, 'keys');
  if (Array.isArray(unknown))
    return unknown.map((key) => describe([...path, String(key)], input, 'unknown_field', issue.message));
  return [describe(path, input, codeOf(issue, path, input), issue.message)];
}

/** The messages that do not depend on the schema. */
const MESSAGES: { readonly [Code in InvalidCode]?: string } = {
  required: 'is required',
  unknown_field: 'is not a known field',
};

function describe(path: readonly string[], input: unknown, code: InvalidCode, message: string): InvalidField {
  return { field: fieldOf(path, input), code, message: MESSAGES[code] ?? message };
}

/** The kinds of issues of libraries, by the code of an invalid field. The first that matches counts. */
const KINDS: readonly (readonly [InvalidCode, RegExp])[] = [
  ['unknown_field', /^(never|removed)$/],
  [
    'invalid_value',
    /multiple|divisor|^(invalid_value|unit|literal|picklist|enum|union|variant|custom|check|predicate)$/,
  ],
  [
    'wrong_type',
    /^(invalid_type|domain|proto|integer|safe_integer|string|number|boolean|null|array|tuple|(\w+_)?object|record)$/,
  ],
  ['too_short', /small|^min|^gt|more_than|non_?empty/i],
  ['too_long', /big|^max|^lt|less_than/i],
  ['invalid_format', /format|regex|pattern|email|^iso|^u?uid|url|^(nano|cu|ul)id|^ip|hex|base64/],
];

function codeOf(issue: Issue, path: readonly string[], input: unknown): InvalidCode {
  const value = path.reduce(memberOf, input);
  if (value === undefined && path.length > 0) return 'required';
  const expected = detail(issue, 'expected');
  const kind = String(
    expected === 'never' || expected === 'removed' ? expected : (detail(issue, 'code') ?? detail(issue, 'type')),
  );
  const params = detail(issue, 'params');
  const own = isPlainObject(params) ? params['code'] : undefined;
  const given = INVALID_CODES.find((known) => known === own);
  if (given) return given;
  const branches = detail(issue, 'errors');
  if (kind === 'invalid_union' && Array.isArray(branches))
    return branches.every((branch) => isOfOtherType(branch)) ? 'wrong_type' : 'invalid_value';
  const allowed = detail(issue, 'values');
  if (Array.isArray(allowed) && allowed.every((each) => typeof each !== typeof value)) return 'wrong_type';
  const [code = 'invalid_value'] = KINDS.find(([, pattern]) => pattern.test(kind)) ?? [];
  return typeof value === 'number' && code.startsWith('too_') ? 'out_of_range' : code;
}

/** Checks whether an alternative does not apply because the value has another type. */
function isOfOtherType(branch: unknown): boolean {
  return (
    Array.isArray(branch) &&
    branch.some((issue) => isPlainObject(issue) && issue['code'] === 'invalid_type' && String(issue['path']) === '')
  );
}

/** Returns what the issue of a library has beside the members that all have. */
function detail(issue: object, name: string): unknown {
  return name in issue ? Reflect.get(issue, name) : undefined;
}

/** Maximum length of the path of a field. A client chooses names, and a hundred errors can be below one of them. */
const FIELD_LENGTH_MAX = 1000;

/** Returns the path of an invalid field: `items[0].name`, `["a.b"]`. Its end is missing if it is very long. */
function fieldOf(path: readonly string[], input: unknown): string {
  let field = '';
  let value = input;
  for (const step of path) {
    if (Array.isArray(value)) field += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) field += field === '' ? step : `.${step}`;
    else field += `[${JSON.stringify(step)}]`;
    value = memberOf(value, step);
  }
  return field.length > FIELD_LENGTH_MAX ? `${field.slice(0, FIELD_LENGTH_MAX).toWellFormed()}…` : field;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const member: unknown = Reflect.get(value, name);
  return member;
}
