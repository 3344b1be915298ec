import { isDeepStrictEqual } from 'node:util';
import { flat } from './breaking-schemas.ts';
import { headersOf, listOf, type Members, membersOf, resolved } from './json-values.ts';

/** A difference of two documents: its place, and what each of them has there; `undefined` for nothing. */
export interface Difference {
  readonly at: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Returns the differences of two OpenAPI documents in all that they say, whatever is a component. Examples of bodies and
 * schemas do not count, and neither does the order of members. The names of components count, because generators name
 * types for them.
 */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const [old, now] = [meaningOf(before), meaningOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((at) => !isDeepStrictEqual(old.get(at), now.get(at)))
    .map((at) => ({ at, before: old.get(at), after: now.get(at) }));
}

/** Returns the values of a document by their places, with references resolved. */
function meaningOf(document: unknown): ReadonlyMap<string, unknown> {
  const { paths, webhooks, components, 'x-response-headers': _, ...others } = membersOf(document);
  const { securitySchemes, ...kinds } = membersOf(components);
  const named = mapped(kinds, (kind) => mapped(kind, () => 'a name'));
  const items = (all: unknown) => mapped(all, (item) => pathMeaning(document, item));
  const whole = { ...others, securitySchemes, components: named, paths: items(paths), webhooks: items(webhooks) };
  const values = new Map<string, unknown>();
  collect(whole, '', values);
  return values;
}

/** Adds each value within `value` that is no object to `values`, by its place: the names that lead to it. */
function collect(value: unknown, place: string, values: Map<string, unknown>): void {
  const members = membersOf(value);
  const names = Object.keys(members);
  if (names.length === 0) values.set(place, value);
  for (const name of names) collect(members[name], place === '' ? name : `${place} ${name}`, values);
}

function pathMeaning(document: unknown, item: unknown): Members {
  const { parameters: shared, ...operations } = membersOf(item);
  return mapped(operations, (operation) => {
    const { parameters, requestBody, responses, ...others } = membersOf(operation);
    const all = [...listOf(shared), ...listOf(parameters)].map((each) => withSchema(document, each));
    const { content, ...body } = resolved(document, requestBody);
    return {
      ...others,
      parameters: Object.fromEntries(all.map((each) => [`${String(each['in'])} ${String(each['name'])}`, each])),
      requestBody: { ...body, content: contentMeaning(document, content) },
      responses: mapped(responses, (response) => responseMeaning(document, resolved(document, response))),
    };
  });
}

function responseMeaning(document: unknown, { headers, content, ...others }: Members): Members {
  // A receiver of webhooks returns no headers of this API.
  const all = headers === undefined ? {} : headersOf(document, { headers });
  return {
    ...others,
    headers: mapped(all, (header) => withSchema(document, header)),
    content: contentMeaning(document, content),
  };
}

function contentMeaning(document: unknown, content: unknown): Members {
  return mapped(content, (media) => {
    const { example: _, examples: _all, schema, ...others } = membersOf(media);
    return { ...others, schema: schemaMeaning(document, schema) };
  });
}

/** Returns a parameter or header. */
function withSchema(document: unknown, value: unknown): Members {
  const { schema, ...others } = resolved(document, value);
  return { ...others, schema: schemaMeaning(document, schema) };
}

/** Returns a schema with references and `allOf` resolved, except for one that is a part of itself. */
function schemaMeaning(document: unknown, schema: unknown, within: readonly unknown[] = []): unknown {
  if (Array.isArray(schema)) return schema.map((each) => schemaMeaning(document, each, within));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = membersOf(schema);
  if ($ref !== undefined && within.includes($ref)) return { $ref };
  const inside = $ref === undefined ? within : [...within, $ref];
  const { title: _, example: _one, examples: _all, properties, required, ...others } = flat(document, schema);
  const part = (value: unknown) => schemaMeaning(document, value, inside);
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, DATA.has(name) ? value : part(value)])),
    properties: mapped(properties, part),
    required: Object.fromEntries(listOf(required).map((name) => [String(name), true])),
  };
}

/** Keywords whose values are data, even if they look like schemas. */
const DATA = new Set(['enum', 'const', 'default', 'x-extensible-enum']);

function mapped(value: unknown, meaning: (member: unknown) => unknown): Members {
  return Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [name, meaning(member)]));
}
