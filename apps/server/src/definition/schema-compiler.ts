import type { DefinitionFault } from '@orders/domain';
import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import formats, { type FormatName } from 'ajv-formats';
import { formatNames } from 'ajv-formats/dist/formats.js';
import { reasonOf } from '../operator-error.ts';
import { boundErrors } from './bounded-errors.ts';
import { KEYWORDS, type SchemaObject } from './json-schema-keywords.ts';
import { linearPattern } from './linear-pattern.ts';

/** The formats that `format` may have. Each takes time that is linear in the text. */
export const FORMATS: readonly FormatName[] = formatNames.filter((name) => name !== 'url').toSorted();

/** The warnings of the last schema that was compiled. */
const warnings: string[] = [];

const OPTIONS = {
  allErrors: true,
  // Otherwise a member with the name of a method, such as `toString`, is never missing.
  ownProperties: true,
  strictSchema: 'log',
  strictTypes: 'log',
  strictTuples: false,
  allowUnionTypes: true,
  allowMatchingProperties: true,
  messages: false,
  logger: { log: () => undefined, warn: (message) => warnings.push(String(message)), error: () => undefined },
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
} satisfies Options;
/** Validates schemas alone: with `$data`, each error of a keyword would be one of alternatives. */
const ofSchemas = new Ajv2020(OPTIONS);
boundErrors(ofSchemas);
const ajv = new Ajv2020({ ...OPTIONS, $data: true });
formats.default(ajv, { formats: [...FORMATS], keywords: true });
boundErrors(ajv);
// The one of Ajv compares each item with each other one.
ajv.removeKeyword('uniqueItems');
ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: false, validate: isUnique });

/** Keywords whose value Ajv takes from the validated data where it is an object with `$data`. */
export const WITH_DATA: readonly string[] = [...KEYWORDS].filter((keyword) => {
  const definition = ajv.getKeyword(keyword);
  return typeof definition === 'object' && definition.$data === true;
});

/** Returns the errors of keywords whose values JSON Schema does not allow. */
export function findInvalidKeywords({ $schema: _schema, ...schema }: SchemaObject): readonly ErrorObject[] {
  // Without a `$schema` Ajv takes its own dialect, which is 2020-12; it throws for one that it does not know.
  return ofSchemas.validateSchema(schema) === true ? [] : (ofSchemas.errors ?? []);
}

/** Returns the faults of keywords that would have no effect, or cannot be compiled. */
export function findIneffectiveKeywords(schema: SchemaObject): readonly DefinitionFault[] {
  try {
    compiled(schema);
  } catch (cause) {
    // A limit without a format that has an order, or of a value that has no members beside it.
    return [{ path: [], message: `cannot be compiled: ${reasonOf(cause)}` }];
  }
  return warnings.map(toFault);
}

/** Returns a function that validates a value, and returns its errors, {@link INVALID_FIELDS_MAX} at most. */
export function compileSchema(schema: SchemaObject): (value: unknown) => readonly ErrorObject[] {
  const validate = compiled(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

function compiled(schema: SchemaObject) {
  warnings.length = 0;
  // The id of a schema would be known to Ajv, which compiles it twice.
  const { $id: _id, $schema: _schema, ...anonymous } = schema;
  return ajv.compile(anonymous);
}

/** Returns the fault that a warning of strict mode reports, with the place if the warning has it. */
function toFault(warning: string): DefinitionFault {
  const message = warning.replace('strict mode: ', '').replace(/ \(strict\w+\)$/, '');
  const [, what = message, place = ''] = /^(.*) at "[^"#]*#(.*)"$/.exec(message) ?? [];
  const path = place.split('/').slice(1);
  return {
    path: path.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')),
    message: `has no effect (strict mode): ${what}`,
  };
}

function isUnique(isRequired: unknown, items: readonly unknown[]): boolean {
  return isRequired !== true || new Set(items.map(canonical)).size === items.length;
}

/** Returns the same text for values that are equal as JSON. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
