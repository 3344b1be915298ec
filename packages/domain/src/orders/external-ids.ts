import { err, ok } from 'neverthrow';
import type { Field } from '../shared/fields.ts';
import { isEqualJson, mergePatch } from '../shared/json-values.ts';
import { mergedField } from '../shared/merged-fields.ts';
import { INVALID_TEXT, invalidField, type InvalidFields, isPlainObject, readArray } from '../shared/validation.ts';

/**
 * The ids that other systems have for an order, by system: `{ stripe: ['pi_1'], erp: ['4711'] }`. No list is empty, and no
 * id is twice in a list. Other orders may have the same. Business data, which must not be personal.
 */
export type ExternalIds = Readonly<Record<string, readonly string[]>>;

/** {@link ExternalIds} as the client sends them when it places an order, and by merge patch: `null` and `[]` mean none. */
export type ExternalIdsPatch = Readonly<Record<string, readonly string[] | null>>;

/** Maximum number of external ids of an order. */
export const EXTERNAL_IDS_MAX = 20;
/** Maximum length of an external id, in Unicode code points. */
export const EXTERNAL_ID_LENGTH_MAX = 255;
/** Maximum length of the name of a system. */
export const SYSTEM_LENGTH_MAX = 40;
/** Maximum number of systems of a merge patch: as many as remove all of an order and set all new ones. */
export const SYSTEMS_PATCH_MAX = 2 * EXTERNAL_IDS_MAX;

/** The form of the name of a system, as the source of a regular expression. */
export const SYSTEM_PATTERN = '[a-z0-9_-]{1,40}';

/** The external ids of an order. */
export const EXTERNAL_IDS: Field<ExternalIds, ExternalIdsPatch | null> = mergedField<
  ExternalIds,
  ExternalIdsPatch | null
>({
  unset: {},
  readPatch: (input, path, invalid) => (input === null ? null : readSystems(input, path, invalid)),
  patch: (before, patch, path) => {
    const after = patch === null ? {} : mergePatch(before, patch);
    if (isEqualJson(before, after)) return ok(before);
    const count = Object.values(after).reduce((sum, ids) => sum + ids.length, 0);
    if (count <= EXTERNAL_IDS_MAX) return ok(after);
    return err(invalidField(path, 'too_long', `must have at most ${EXTERNAL_IDS_MAX} ids in all`));
  },
});

const NAME = new RegExp(`^${SYSTEM_PATTERN}$`);

function readSystems(input: unknown, path: string, invalid: InvalidFields): ExternalIdsPatch | undefined {
  if (!isPlainObject(input)) return invalid.add(path, 'wrong_type', 'must be an object');
  const systems = Object.keys(input);
  if (systems.length > SYSTEMS_PATCH_MAX)
    return invalid.add(path, 'too_long', `must have at most ${SYSTEMS_PATCH_MAX} systems`);
  const read = systems.map((system) => {
    const at = `${path}[${JSON.stringify(system)}]`;
    if (!NAME.test(system))
      invalid.add(at, 'invalid_format', 'must have a name of 1 to 40 of the characters a-z, 0-9, _ and -');
    const ids = input[system] === null ? [] : (readIds(input[system], at, invalid) ?? []);
    return [system, ids.length === 0 ? null : ids] as const;
  });
  // It defines properties, whereas an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(read);
}

function readIds(input: unknown, path: string, invalid: InvalidFields): readonly string[] | undefined {
  const seen = new Set<string>();
  return readArray(input, path, 0, EXTERNAL_IDS_MAX, 'id', invalid, (id, at) => {
    const text = invalid.readText(id, at, 1, EXTERNAL_ID_LENGTH_MAX);
    if (text === undefined) return INVALID_TEXT;
    if (seen.has(text)) invalid.add(at, 'invalid_value', 'must not repeat an id');
    seen.add(text);
    return text;
  });
}
