import { err, ok, type Result } from 'neverthrow';
import { isUuid } from './ids.ts';

/** Why a field was refused. */
export type InvalidCode =
  | 'required'
  | 'unknown_field'
  | 'read_only'
  | 'wrong_type'
  | 'too_short'
  | 'too_long'
  | 'out_of_range'
  | 'invalid_format'
  | 'invalid_value'
  | 'not_found'
  | 'taken';

/** One refused field. */
export interface InvalidField {
  /** Path from the input's root: `items[0].quantity`, `metadata["a.b"]`, `""` for the input itself. */
  readonly field: string;
  /** A sentence for people, without the field's name. */
  readonly message: string;
  readonly code: InvalidCode;
}

/** The input broke a rule that can be judged by looking at the input alone. */
export interface ValidationFailed {
  readonly type: 'validation_failed';
  /** Every bad field, at most {@link INVALID_FIELDS_MAX}; the ones that do not belong there come first. */
  readonly errors: readonly InvalidField[];
}

/** How many bad fields one answer names at most. */
export const INVALID_FIELDS_MAX = 100;

/** The path of `key` below `path`. */
export function fieldPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** An object as JSON has them: no array, no null, no instance of a class (a Map would seem to be empty). */
export function isPlainObject(input: unknown): input is Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null) return false;
  const prototype: unknown = Object.getPrototypeOf(input);
  // The prototype of all objects has none itself, in whichever realm the object was made.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A {@link ValidationFailed} with one field. */
export function invalidField(field: string, code: InvalidCode, message: string): ValidationFailed {
  return { type: 'validation_failed', errors: [{ field, message, code }] };
}

/** Stands in for a text that was refused, in a command that is refused with it. */
export const INVALID_TEXT = '';

/**
 * Reads untyped input field by field and remembers every field it refuses, so that a caller learns of all at once.
 * Each reader returns the value, or `undefined` after it has noted why not.
 */
export class InvalidFields {
  readonly #errors: InvalidField[] = [];

  get failure(): ValidationFailed | undefined {
    return this.#errors.length === 0 ? undefined : { type: 'validation_failed', errors: this.#errors };
  }

  add(field: string, code: InvalidCode, message: string): undefined {
    if (this.#errors.length < INVALID_FIELDS_MAX) this.#errors.push({ field, message, code });
  }

  /** Notes every member of `input` that is neither `known` nor, worth a better word, set by the system. */
  rejectUnknownFields(
    input: Readonly<Record<string, unknown>>,
    known: readonly string[],
    path = '',
    readOnly?: readonly string[],
  ): void {
    for (const key of Object.keys(input)) {
      if (known.includes(key)) continue;
      if (readOnly?.includes(key)) this.add(fieldPath(path, key), 'read_only', 'cannot be set');
      else this.add(fieldPath(path, key), 'unknown_field', 'is not a field here');
    }
  }

  /** An integer within bounds. A number that JSON spells `1.0` or `1e3` is an integer; `19.99` is not. */
  readInteger(input: unknown, path: string, min: number, max: number): number | undefined {
    if (input === undefined || input === null) return this.add(path, 'required', 'is required');
    if (typeof input !== 'number') return this.add(path, 'wrong_type', 'must be an integer');
    if (Number.isFinite(input) && !Number.isInteger(input)) return this.add(path, 'wrong_type', 'must be an integer');
    if (!(input >= min && input <= max)) return this.add(path, 'out_of_range', `must be from ${min} to ${max}`);
    return input === 0 ? 0 : input; // JSON has a -0, money does not.
  }

  /** Text within bounds, counted in Unicode code points; nothing is trimmed. */
  readText(input: unknown, path: string, min: number, max: number): string | undefined {
    if (input === undefined || input === null) return this.add(path, 'required', 'is required');
    if (typeof input !== 'string') return this.add(path, 'wrong_type', 'must be a string');
    if (input.length < min)
      return this.add(path, 'too_short', `must have at least ${min} character${min === 1 ? '' : 's'}`);
    if (isLongerThan(input, max)) return this.add(path, 'too_long', `must have at most ${max} characters`);
    return this.readStorableText(input, path);
  }

  readUuid(input: unknown, path: string): string | undefined {
    if (typeof input !== 'string') return this.add(path, 'wrong_type', 'must be a string');
    if (!isUuid(input)) return this.add(path, 'invalid_format', 'must be a UUID');
    return input.toLowerCase();
  }

  /** Notes text that PostgreSQL and UTF-8 cannot carry: U+0000 and lone surrogates. */
  readStorableText(input: string, path: string): string | undefined {
    if (input.includes('\0')) return this.add(path, 'invalid_value', 'must not contain U+0000');
    if (!input.isWellFormed()) return this.add(path, 'invalid_value', 'must not contain a lone surrogate');
    return input;
  }
}

/** Reads untyped input: returns what `read` returns, or every field that it rejected. */
export function parse<T>(read: (invalid: InvalidFields) => T): Result<T, ValidationFailed> {
  const invalid = new InvalidFields();
  const value = read(invalid);
  return invalid.failure ? err(invalid.failure) : ok(value);
}

/** Reads an untyped object like {@link parse}; rejects every other value. */
export function parseObject<T>(
  input: unknown,
  read: (members: Readonly<Record<string, unknown>>, invalid: InvalidFields) => T,
): Result<T, ValidationFailed> {
  if (!isPlainObject(input)) return err(invalidField('', 'wrong_type', 'must be an object'));
  return parse((invalid) => read(input, invalid));
}

/** Whether `text` has more than `max` Unicode code points. */
export function isLongerThan(text: string, max: number): boolean {
  // There are no more code points than UTF-16 code units, and these are known.
  if (text.length <= max) return false;
  let count = 0;
  for (const _ of text) if (++count > max) return true;
  return false;
}
