import { expect, it } from 'vitest';
import { currentOperatorDocument } from '../../scripts/current-document.ts';
import { masked, PERSONAL_MEMBERS } from '../../src/operator/masked.ts';

/** The texts that say nothing of a buyer: of products, definitions, credentials, operators, endpoints and the server. */
const IMPERSONAL =
  'action actor actor_name advice aggregate author available_transitions changed currency description endpoint_url error external_ids field host identity key kind last_error left_out_owners lookup lookups name next_cursor node not_ready operations owner passed_over prefix reference schema scopes secret sku status statuses subject token type value version';

const document: unknown = currentOperatorDocument();

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the value at a reference of the document, or the schema itself. */
function resolved(schema: unknown): Readonly<Record<string, unknown>> {
  const { $ref } = membersOf(schema);
  if (typeof $ref !== 'string') return membersOf(schema);
  return resolved(
    $ref
      .split('/')
      .slice(1)
      .reduce((at, name) => membersOf(at)[name], document),
  );
}

/** Adds the free texts that a schema has outside personal members. A time, an id or one of several values is none. */
function collect(schema: unknown, name: string, found: Set<string>, seen = new Set<unknown>()): void {
  const members = resolved(schema);
  if (Object.keys(members).length === 0) return;
  const { type, properties, items, additionalProperties, allOf = [], anyOf = [], oneOf = [], ...rest } = members;
  if (properties !== undefined && seen.has(properties)) return;
  seen.add(properties);
  if ([type].flat().includes('string') && !('enum' in rest || 'x-extensible-enum' in rest || 'format' in rest))
    found.add(name);
  const own = membersOf(properties);
  for (const [member, each] of Object.entries(own)) {
    const isPersonal = Object.hasOwn(PERSONAL_MEMBERS, member) || (member === 'name' && 'email' in own);
    if (!isPersonal) collect(each, member, found, seen);
  }
  for (const each of [items, additionalProperties, allOf, anyOf, oneOf].flat()) collect(each, name, found, seen);
}

it('every free text of a response is masked, or known to be impersonal', () => {
  const found = new Set<string>();
  const below = (value: unknown) => Object.entries(resolved(value));
  const schemas = below(membersOf(document)['paths'])
    .filter(([path]) => !path.includes('openapi'))
    .flatMap(([, item]) => below(item))
    .flatMap(([, operation]) => below(membersOf(operation)['responses']))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => below(resolved(response)['content']))
    .map(([, body]) => membersOf(body)['schema']);
  for (const schema of schemas) collect(schema, '', found);
  expect([...found].toSorted().join(' ')).toBe(IMPERSONAL);
});

it('a list of external ids stays, whatever the name of its system', () => {
  const order = { external_ids: { email: ['1'], note: ['2'], url: ['3'] }, note: 'Ring twice' };
  expect(masked(order)).toEqual({ ...order, note: null });
});
