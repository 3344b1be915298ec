import type { DefinitionFault } from '@orders/domain';
import { isSchemaObject, mapParts, type SchemaObject } from './json-schema-keywords.ts';

/**
 * Maximum number of parts of a schema, each counted as often as references lead to it. It bounds how often a value is
 * validated: references alone could double that with each line.
 */
export const SCHEMA_PARTS_MAX = 1000;

/** A reference to the same document, by a JSON pointer. */
const LOCAL = /^#(\/|$)/;

/** Returns the part of `root` that a reference such as `#/$defs/time` leads to; `undefined` if it leads nowhere. */
export function resolveReference(root: SchemaObject, reference: string): unknown {
  if (!LOCAL.test(reference)) return undefined;
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((value, step) => {
    const name = unescapeStep(step);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? Object.entries(value).find(([key]) => key === name)?.[1]
      : undefined;
  }, root);
}

function unescapeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

/**
 * Returns `root` with copies of schemas in place of the references to them, so that it is whole in any document. Also
 * returns the faults of its references.
 */
export function inlineReferences(root: SchemaObject): {
  readonly schema: SchemaObject;
  readonly faults: readonly DefinitionFault[];
} {
  const faults = new Map<string, DefinitionFault>();
  const addFault = (path: readonly string[], message: string) => faults.set(path.join('/'), { path, message });
  let parts = 0;

  const inline = (schema: unknown, path: readonly string[], open: ReadonlySet<unknown>): unknown => {
    if (!isSchemaObject(schema) || parts > SCHEMA_PARTS_MAX) return schema;
    parts += 1;
    const { $ref, $defs: _definitions, $id: _id, $schema: _schema, ...own } = schema;
    const within = new Set([...open, schema]);
    const inlined = mapParts(own, (part) => inline(part.schema, [...path, ...part.path], within));
    if (typeof $ref !== 'string') return inlined;
    const target = resolveReference(root, $ref);
    if (within.has(target)) {
      addFault([...path, '$ref'], 'must not lead back to a schema that contains it');
      return inlined;
    }
    const copy = inline(target, pathOf($ref), within);
    if (Object.keys(inlined).length === 0) return copy;
    const others: unknown = inlined['allOf'];
    const all: readonly unknown[] = Array.isArray(others) ? others : [];
    return { ...inlined, allOf: [copy, ...all] };
  };

  const schema = inline(root, [], new Set());
  if (parts > SCHEMA_PARTS_MAX)
    addFault([], `must have at most ${SCHEMA_PARTS_MAX} parts, each counted as often as references lead to it`);
  return { schema: isSchemaObject(schema) ? schema : {}, faults: [...faults.values()] };
}

function pathOf(reference: string): readonly string[] {
  return reference.split('/').slice(1).map(unescapeStep);
}
