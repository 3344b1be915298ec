import { err, ok, type Result } from 'neverthrow';
import type { Field, MembersPatch } from './fields.ts';
import { isEqualJson } from './json-values.ts';
import { INVALID_TEXT, invalidField, type InvalidFields, isPlainObject, type ValidationFailed } from './validation.ts';

/** A text that an object may have: its limits in Unicode code points, and what reads it. */
export interface TextMember {
  readonly min: number;
  readonly max: number;
  readonly read: (input: unknown, path: string, invalid: InvalidFields) => string | undefined;
}

/** The texts that an object may have, by their names. */
export type TextMembers<Value = Readonly<Record<string, string | null>>> = {
  readonly [Name in keyof Value]-?: TextMember;
};

/** Returns a text of `min` to `max` Unicode code points. */
export function textMember(
  max: number,
  min = 1,
  read: TextMember['read'] = (input, path, invalid) => invalid.readText(input, path, min, max),
): TextMember {
  return { min, max, read };
}

/** Returns a field that a patch merges. Its value in a new resource is what the same patch would make of none. */
export function mergedField<Value, Patch>({
  unset,
  readPatch,
  patch,
}: Omit<Field<Value, Patch>, 'read'>): Field<Value, Patch> {
  return {
    unset,
    readPatch,
    patch,
    read: (input, path, invalid) => {
      const change = input === undefined || input === null ? undefined : readPatch(input, path, invalid);
      if (change === undefined) return unset;
      const after = patch(unset, change, path);
      if (after.isOk()) return after.value;
      for (const { field, code, message } of after.error.errors) invalid.add(field, code, message);
      return unset;
    },
  };
}

/**
 * Returns a field of an object that has all of `members`, each a text or `null`. It needs the text `required`, or any if
 * that is `null`, which is checked after a merge.
 */
export function mergedTexts<Value extends object>(
  members: TextMembers<Value>,
  required: string | null,
): Field<Value | null, MembersPatch<Value> | null>;
export function mergedTexts(
  members: TextMembers,
  required: string | null,
): Field<Texts | null, MembersPatch<Texts> | null> {
  // Once, because every order has several of them.
  const known = Object.entries(members);
  const names = Object.keys(members);
  const none: Texts = Object.fromEntries(names.map((name) => [name, null]));
  return mergedField<Texts | null, MembersPatch<Texts> | null>({
    unset: null,
    readPatch: (input, path, invalid) => {
      if (input === null) return null;
      if (!isPlainObject(input)) return invalid.add(path, 'wrong_type', 'must be an object');
      invalid.rejectUnknownFields(input, names, path);
      return readTexts(input, path, known, required, invalid);
    },
    patch: (before, change, path) => {
      if (change === null) return ok(null);
      const after: Record<string, string | null> = { ...none, ...before };
      for (const name of names) after[name] = (change[name] === undefined ? after[name] : change[name]) ?? null;
      return isEqualJson(before, after) ? ok(before) : checkRequired(after, required, path);
    },
  });
}

type Texts = Readonly<Record<string, string | null>>;

function checkRequired(texts: Texts, required: string | null, path: string): Result<Texts, ValidationFailed> {
  if (required !== null)
    return texts[required] === null ? err(invalidField(`${path}.${required}`, 'required', 'is required')) : ok(texts);
  const isAnySet = Object.values(texts).some((text) => text !== null);
  return isAnySet ? ok(texts) : err(invalidField(path, 'required', 'must have a member that is set, or be null'));
}

/** Reads those of the texts `members` that an object has. `null` stands for one that is not set, unless it is `required`. */
function readTexts(
  input: Readonly<Record<string, unknown>>,
  path: string,
  known: readonly (readonly [name: string, member: TextMember])[],
  required: string | null,
  invalid: InvalidFields,
): Texts {
  const texts: Record<string, string | null> = {};
  for (const [name, { read }] of known) {
    const text = input[name];
    if (text === null && name !== required) texts[name] = null;
    else if (text !== undefined) texts[name] = read(text, `${path}.${name}`, invalid) ?? INVALID_TEXT;
  }
  return texts;
}
