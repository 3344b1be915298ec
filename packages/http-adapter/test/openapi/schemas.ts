import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { at, isRecord, stepsOf } from '../fixtures/json.ts';

/** Validates a value by the schema at a path of the document. Returns the errors. */
export type Schemas = (place: readonly string[], value: unknown) => readonly string[];

/**
 * Returns the schemas of a document as JSON Schema 2020-12, which OpenAPI 3.1 uses. The schemas are closed: members that the
 * document lacks are errors, although responses may gain members without a new version.
 */
export function closedSchemas(document: unknown): Schemas {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'openapi', document: closed(document, document) });
  ajv.addVocabulary(['document']);
  return (place, value) => {
    const pointer = place.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = ajv.getSchema(`openapi#/document/${pointer.join('/')}`);
    if (!validate) throw new Error(`the document has no schema at ${place.join(' ')}`);
    if (validate(value) === true) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'it'} ${message}: ${JSON.stringify(params)}`,
    );
  };
}

function isNullable({ type }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(type) && type.includes('null');
}

/** Keywords whose values are data, even if they look like schemas. */
const DATA = new Set(['example', 'examples', 'enum', 'const', 'default']);

function closed(document: unknown, value: unknown, inAllOf = false): unknown {
  if (Array.isArray(value)) return value.map((element) => closed(document, element));
  if (!isRecord(value)) return value;
  const { $ref, 'x-extensible-enum': today, ...members } = value;
  const entries = Object.entries(members).map(([name, member]): [string, unknown] => {
    if (DATA.has(name)) return [name, member];
    if (name === 'allOf' && Array.isArray(member)) return [name, member.map((part) => closedPart(document, part))];
    return [name, closed(document, member)];
  });
  const isClosed = 'additionalProperties' in value || 'unevaluatedProperties' in value;
  const open = ('properties' in value || 'allOf' in value) && !isClosed && !inAllOf;
  return {
    // Strict schemas need the type, which a problem has from its parts.
    ...(open && { type: 'object' }),
    ...Object.fromEntries(entries),
    ...(typeof $ref === 'string' && { $ref: $ref.replace('#/', '#/document/') }),
    ...(Array.isArray(today) && { enum: isNullable(value) ? today.concat(null) : today }),
    ...(open && { unevaluatedProperties: false }),
  };
}

/** Returns a part of an `allOf`. The whole is closed, so a part is a copy of the schema that it refers to. */
function closedPart(document: unknown, part: unknown): unknown {
  const reference = at(part, '$ref');
  return closed(document, typeof reference === 'string' ? at(document, ...stepsOf(reference)) : part, true);
}
