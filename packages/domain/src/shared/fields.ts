import { ok, type Result } from 'neverthrow';
import { type Metadata, type MetadataPatch, patchMetadata, readMetadata, readMetadataPatch } from './metadata.ts';
import type { InvalidField, InvalidFields, ValidationFailed } from './validation.ts';

type Reader<T> = (input: unknown, path: string, invalid: InvalidFields) => T | undefined;

/** A field of a resource that clients set: when they create it, and by a merge patch (RFC 7396). */
export interface Field<Value = unknown, Patch = unknown> {
  /** The value of a field that is not set. */
  readonly unset: Value;
  /** Reads the value of a new resource. An optional field may be absent or `null`, which are the same. */
  readonly read: Reader<Value>;
  /** Reads what a merge patch contains; `null` clears an optional field. */
  readonly readPatch: Reader<Patch>;
  /** Returns the value after a patch, or `before` itself if nothing changes. `path` is where errors are. */
  patch(before: Value, patch: Patch, path: string): Result<Value, ValidationFailed>;
}

/** The fields of a resource whose values are `Values`, in the order in which events and errors list them. */
export type FieldsOf<Values> = { readonly [Name in keyof Values]: Field<Values[Name], PatchOf<Values[Name]>> };

type PatchOf<Value> = Value extends Metadata
  ? MetadataPatch | null
  : Value extends object
    ? MembersPatch<Value> | null
    : Value;

/** A merge patch of an object (RFC 7396). `null` removes a member. */
export type MembersPatch<Value> = { readonly [Name in keyof Value]?: Value[Name] | null | undefined };

/** The values of optional fields of a new resource. A member that is absent or `null` is not set. */
export type FieldsInput<Values> = { readonly [Name in keyof Values]?: Values[Name] | null | undefined };

/** The fields of a merge patch. An absent member leaves its field unchanged; `null` clears an optional one. */
export type FieldsPatch<Values> = { readonly [Name in keyof Values]?: PatchOf<Values[Name]> | undefined };

/** Returns a field that a patch replaces. */
export function replaced<Value>(unset: Value, read: Reader<Value>): Field<Value, Value> {
  return { unset, read, readPatch: read, patch: (_, after) => ok(after) };
}

/** Returns an optional text of `min` to `max` Unicode code points. */
export function optionalText(min: number, max: number): Field<string | null, string | null> {
  return replaced<string | null>(null, (input, path, invalid) => invalid.readOptionalText(input, path, max, min));
}

/** An optional UUID. */
export const OPTIONAL_UUID = replaced<string | null>(null, (input, path, invalid) =>
  input === undefined || input === null ? null : invalid.readUuid(input, path),
);

/** The metadata of a resource. */
export const METADATA: Field<Metadata, MetadataPatch | null> = {
  unset: {},
  read: readMetadata,
  readPatch: readMetadataPatch,
  patch: patchMetadata,
};

type Fields = Readonly<Record<string, Field>>;
type Members = Readonly<Record<string, unknown>>;

/** Reads the fields of a new resource. */
export function readFields<Values>(fields: FieldsOf<Values>, input: Members, invalid: InvalidFields): Values;
export function readFields(fields: Fields, input: Members, invalid: InvalidFields): unknown {
  const values: Record<string, unknown> = {};
  for (const [name, { read, unset }] of Object.entries(fields))
    values[name] = read(input[name], name, invalid) ?? unset;
  return values;
}

/** Reads the fields that a merge patch contains. {@link patchFields} checks what depends on their values. */
export function readFieldsPatch(fields: Fields, input: Members, invalid: InvalidFields): Members {
  const patch: Record<string, unknown> = {};
  for (const [name, { readPatch }] of Object.entries(fields))
    if (input[name] !== undefined) patch[name] = readPatch(input[name], name, invalid) ?? null;
  return patch;
}

/** Returns the fields that a patch changes, and what is invalid in the others. */
export function patchFields(fields: Fields, before: object, patch: object) {
  const changed: Record<string, unknown> = {};
  const errors: InvalidField[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value: unknown = Reflect.get(before, name);
    const change: unknown = Reflect.get(patch, name);
    const after = change === undefined ? ok(value) : field.patch(value, change, name);
    if (after.isErr()) errors.push(...after.error.errors);
    else if (after.value !== value) changed[name] = after.value;
  }
  return { changed, errors };
}
