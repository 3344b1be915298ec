import type { DefinitionFault } from '@orders/domain';
import { reasonOf } from '../operator-error.ts';
import { inlineReferences, resolveReference } from './inline-references.ts';
import {
  FORMAT_LIMITS,
  isSchemaObject,
  KEYWORDS,
  mapParts,
  ROOT_KEYWORDS,
  type SchemaObject,
} from './json-schema-keywords.ts';
import { linearPattern } from './linear-pattern.ts';
import { describeErrors } from './schema-errors.ts';
import { findIneffectiveKeywords, findInvalidKeywords, FORMATS, WITH_DATA } from './schema-compiler.ts';

/** The only `$schema` that custom data may have. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the faults of the JSON schema of custom data: invalid or unknown keywords, formats and patterns, references
 * out of the file, and what strict mode of Ajv finds. The latter is about keywords that would have no effect.
 */
export function findSchemaFaults(schema: SchemaObject): readonly DefinitionFault[] {
  const faults = [
    ...describeErrors(findInvalidKeywords(schema)),
    ...faultsOfParts(schema, schema, []),
    ...inlineReferences(schema).faults,
  ];
  // A schema with such faults may not compile.
  return faults.length > 0 ? faults : findIneffectiveKeywords(schema);
}

function faultsOfParts(root: SchemaObject, schema: unknown, path: readonly string[]): readonly DefinitionFault[] {
  if (!isSchemaObject(schema)) return [];
  const own = Object.entries(schema).flatMap(([keyword, value]) =>
    faultsOfKeyword(root, keyword, value, path.length === 0).map(({ path: place, message }) => ({
      path: [...path, ...place],
      message,
    })),
  );
  const parts: DefinitionFault[] = [];
  mapParts(schema, (part) => {
    parts.push(...faultsOfParts(root, part.schema, [...path, ...part.path]));
    return part.schema;
  });
  return [...own, ...parts];
}

function faultsOfKeyword(
  root: SchemaObject,
  keyword: string,
  value: unknown,
  isRoot: boolean,
): readonly DefinitionFault[] {
  const fault = (message: string, ...path: readonly string[]) => [{ path: [keyword, ...path], message }];
  if (isRoot && ROOT_KEYWORDS.includes(keyword))
    return keyword === '$schema' && value !== DIALECT ? fault(`must be ${DIALECT}`) : [];
  if (!KEYWORDS.has(keyword)) return fault('is not a known keyword');
  if (keyword === 'format' && typeof value === 'string' && !FORMATS.some((format) => format === value))
    return fault(`must be one of ${FORMATS.join(', ')}`);
  if (Object.hasOwn(FORMAT_LIMITS, keyword) && typeof value !== 'string' && !isMember(value))
    return fault('must be a text, or a member such as { "$data": "1/from" }');
  if (
    !Object.hasOwn(FORMAT_LIMITS, keyword) &&
    WITH_DATA.includes(keyword) &&
    isSchemaObject(value) &&
    '$data' in value
  )
    return fault(`cannot be a member: only ${Object.keys(FORMAT_LIMITS).join(', ')} can`);
  if (keyword === 'pattern' && typeof value === 'string') return faultOfPattern(value, fault);
  if (keyword === 'patternProperties' && isSchemaObject(value))
    return Object.keys(value).flatMap((pattern) => faultOfPattern(pattern, (message) => fault(message, pattern)));
  if (keyword !== '$ref' || typeof value !== 'string') return [];
  if (!/^#(\/|$)/.test(value)) return fault('must lead to a schema in this file, such as #/$defs/name');
  const target = resolveReference(root, value);
  return isSchemaObject(target) || typeof target === 'boolean' ? [] : fault('leads to no schema');
}

/** Checks whether a limit is the value of a member of the same object. */
function isMember(value: unknown): boolean {
  return isSchemaObject(value) && Object.keys(value).length === 1 && /^1\/[\w-]+$/.test(String(value['$data']));
}

function faultOfPattern(
  pattern: string,
  fault: (message: string) => readonly DefinitionFault[],
): readonly DefinitionFault[] {
  try {
    linearPattern(pattern);
    return [];
  } catch (cause) {
    return fault(reasonOf(cause));
  }
}
