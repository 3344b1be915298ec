import { err, ok, type Result } from 'neverthrow';
import { parseTimestamp, type Timestamp } from './clock.ts';
import { isUuid } from './ids.ts';
import type { InvalidCode } from './invalid-codes.ts';

/** One invalid field of an input. */
export interface InvalidField {
  /** Path from the input's root: `items[0].quantity`, `metadata["a.b"]`, `""` for the input itself. */
  readonly field: string;
  /** Human-readable reason, without the field's name, such as `must be a string`. */
  readonly message: string;
  readonly code: InvalidCode;
}

/** Error: the input is invalid in itself, whatever is stored. */
export interface ValidationFailed {
  readonly type: 'validation_failed';
  /** All invalid fields, at most {@link INVALID_FIELDS_MAX}; unknown and read-only fields come first. */
  readonly errors: readonly InvalidField[];
}

/** Maximum number of invalid fields that one {@link ValidationFailed} reports. */
export const INVALID_FIELDS_MAX = 100;

/** Returns the path of the member `key` below `path`. */
export function fieldPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** Checks whether `input` is an object as in JSON: neither an array, `null` nor an instance of a class such as Map. */
export function isPlainObject(input: unknown): input is Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null) return false;
  const prototype: unknown = Object.getPrototypeOf(input);
  // Object.prototype is the only prototype without a prototype, in every realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns a {@link ValidationFailed} with one invalid field. */
export function invalidField(field: string, code: InvalidCode, message: string): ValidationFailed {
  return { type: 'validation_failed', errors: [{ field, message, code }] };
}

/** Placeholder for an invalid text, in a command that is rejected because of it. */
export const INVALID_TEXT = '';

/**
 * Reads untyped input field by field and collects all invalid fields, so that they are reported together. Each `read`
 * method returns the value, or adds an invalid field and returns `undefined`.
 */
export class InvalidFields {
  readonly #errors: InvalidField[] = [];
  #isObject = true;

  /** Returns `value`, or the error of all invalid fields. */
  toResult<T>(value: T): Result<T, ValidationFailed> {
    if (!this.#isObject) return err(invalidField('', 'wrong_type', 'must be an object'));
    return this.#errors.length === 0 ? ok(value) : err({ type: 'validation_failed', errors: this.#errors });
  }

  /** Checks whether {@link INVALID_FIELDS_MAX} invalid fields are collected. Then the rest of the input need not be read. */
  isFull(): boolean {
    return this.#errors.length === INVALID_FIELDS_MAX;
  }

  /** Adds an invalid field, unless {@link isFull}. */
  add(field: string, code: InvalidCode, message: string): undefined {
    if (!this.isFull()) this.#errors.push({ field, message, code });
  }

  /**
   * Reads the whole input as an object with the members `known`, and returns its members. Any other value has no
   * members, and is then the only error that {@link toResult} returns.
   */
  readObject<Input extends object>(input: Input, known: readonly (keyof Input & string)[]): Partial<Input>;
  readObject(input: unknown, known: readonly string[], readOnly?: readonly string[]): Readonly<Record<string, unknown>>;
  readObject(input: unknown, known: readonly string[], readOnly?: readonly string[]): unknown {
    if (!isPlainObject(input)) {
      this.#isObject = false;
      return {};
    }
    this.rejectUnknownFields(input, known, '', readOnly);
    return input;
  }

  /** Adds the members of `input` that are not `known`, with `read_only` for members that only the system sets. */
  rejectUnknownFields(
    input: Readonly<Record<string, unknown>>,
    known: readonly string[],
    path: string,
    readOnly?: readonly string[],
  ): void {
    for (const key of Object.keys(input)) {
      if (this.isFull()) return;
      if (known.includes(key)) continue;
      if (readOnly?.includes(key)) this.add(fieldPath(path, key), 'read_only', 'is read-only');
      else this.add(fieldPath(path, key), 'unknown_field', 'is not a known field');
    }
  }

  /** Reads an integer from `min` to `max`. JSON numbers such as `1.0` and `1e3` are integers; `19.99` is not. */
  readInteger(input: unknown, path: string, min: number, max: number): number | undefined {
    if (input === undefined || input === null) return this.add(path, 'required', 'is required');
    if (typeof input !== 'number' || (Number.isFinite(input) && !Number.isInteger(input)))
      return this.add(path, 'wrong_type', 'must be an integer');
    if (!(input >= min && input <= max)) return this.add(path, 'out_of_range', `must be from ${min} to ${max}`);
    return input === 0 ? 0 : input; // JSON has a negative zero, which amounts and counts must not contain.
  }

  /** Reads text of `min` to `max` Unicode code points, without trimming it. */
  readText(input: unknown, path: string, min: number, max: number): string | undefined {
    if (input === undefined || input === null) return this.add(path, 'required', 'is required');
    if (typeof input !== 'string') return this.add(path, 'wrong_type', 'must be a string');
    if (isShorterThan(input, min))
      return this.add(path, 'too_short', `must have at least ${min} character${min === 1 ? '' : 's'}`);
    if (isLongerThan(input, max)) return this.add(path, 'too_long', `must have at most ${max} characters`);
    return this.readStorableText(input, path);
  }

  /** Reads a text that may be absent or `null`, which are the same, or by default empty. */
  readOptionalText(input: unknown, path: string, max: number, min = 0): string | null | undefined {
    return input === undefined || input === null ? null : this.readText(input, path, min, max);
  }

  /** Reads one of the `known` texts. */
  readOneOf<Known extends string>(input: unknown, path: string, known: readonly Known[]): Known | undefined {
    const found = known.find((one) => one === input);
    return found ?? this.add(path, 'invalid_value', `must be one of ${known.join(', ')}`);
  }

  /** Reads a UUID and returns it in lower case. */
  readUuid(input: unknown, path: string): string | undefined {
    if (typeof input !== 'string') return this.add(path, 'wrong_type', 'must be a string');
    if (!isUuid(input)) return this.add(path, 'invalid_format', 'must be a UUID');
    return input.toLowerCase();
  }

  /** Reads a date and time as {@link parseTimestamp} does. */
  readTimestamp(input: unknown, path: string): Timestamp | undefined {
    if (typeof input !== 'string') return this.add(path, 'wrong_type', 'must be a string');
    const rule = 'must be an RFC 3339 date and time in the years 1 to 9999, such as 2026-01-02T03:04:05Z';
    return parseTimestamp(input) ?? this.add(path, 'invalid_format', rule);
  }

  /** Reads text without U+0000, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot encode. */
  readStorableText(input: string, path: string): string | undefined {
    if (input.includes('\0')) return this.add(path, 'invalid_value', 'must not contain U+0000');
    if (!input.isWellFormed()) return this.add(path, 'invalid_value', 'must not contain a lone surrogate');
    return input;
  }
}

/** Checks whether `text` has fewer than `min` Unicode code points. */
function isShorterThan(text: string, min: number): boolean {
  // A text has at least half as many code points as UTF-16 code units, whose number is known.
  return text.length < 2 * min && !isLongerThan(text, min - 1);
}

/** Checks whether `text` has more than `max` Unicode code points. */
export function isLongerThan(text: string, max: number): boolean {
  // A text never has more code points than UTF-16 code units, whose number is known.
  if (text.length <= max) return false;
  let count = 0;
  for (const _ of text) if (++count > max) return true;
  return false;
}

/** Reads `min` to `max` elements, each by `read` with its path, and reports every invalid one. */
export function readArray<Element>(
  input: unknown,
  path: string,
  min: number,
  max: number,
  name: string,
  invalid: InvalidFields,
  read: (element: unknown, path: string) => Element | undefined,
): readonly Element[] | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  if (!Array.isArray(input)) return invalid.add(path, 'wrong_type', 'must be an array');
  if (input.length < min) return invalid.add(path, 'too_short', `must have at least ${min} ${name}`);
  if (input.length > max) return invalid.add(path, 'too_long', `must have at most ${max} ${name}s`);
  // Array.from fills the holes of a sparse array, which flatMap would skip without reading them.
  return Array.from<unknown>(input).flatMap((element, index) => read(element, `${path}[${index}]`) ?? []);
}

/** Reads a set of at least `min` of the `known` texts, and returns it without duplicates in their order. */
export function readSet<Known extends string>(
  input: unknown,
  path: string,
  known: readonly Known[],
  min: number,
  invalid: InvalidFields,
): readonly Known[] | undefined {
  const isKnown = (value: unknown) => known.some((one) => one === value);
  if (Array.isArray(input) && input.length >= min && input.length <= known.length && input.every(isKnown))
    return known.filter((one) => input.includes(one));
  return invalid.add(path, 'invalid_value', `must be ${min} to ${known.length} of ${known.join(', ')}`);
}

/**
 * Throws unless `options` is an object that has no members but those `known`. Any other member is a bug of the caller: a
 * misspelt option would have no effect.
 *
 * @throws {TypeError} the message names the unknown member and those that are known
 */
export function assertOptions(options: unknown, known: readonly string[]): void {
  if (!isPlainObject(options)) throw new TypeError('options must be an object');
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`unknown option "${name}", expected ${known.join(', ')}`);
  }
}
