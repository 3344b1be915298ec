import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { API_KEY_SCHEMES } from '../../src/admission/authentication/api-keys.ts';
import { Components } from '../../src/openapi/components.ts';
import type { DocumentOptions } from '../../src/openapi/document.ts';
import { currentDocument } from '../../scripts/current-document.ts';
import { anApi } from '../fixtures/an-api.ts';
import { everyWay } from '../fixtures/every-way.ts';
import { operationsOf } from '../hostile/operations.ts';
import { at, behindReferences, isRecord, listAt, membersOf, textAt } from '../fixtures/json.ts';

const DOCUMENTS: readonly (readonly [string, Partial<DocumentOptions>])[] = [
  ['every way to authenticate', {}],
  ['API keys only', { authentication: { securitySchemes: API_KEY_SCHEMES, scopeChallenge: undefined } }],
  [
    'deprecated operations',
    {
      baseUrl: () => 'https://example.com/shop',
      deprecations: {
        list_orders: { since: '2026-01-01', sunset: '2027-01-01', link: 'https://example.com' },
        change_order: { since: '2026-01-01', sunset: '2027-01-01', link: 'https://example.com' },
        get_customer: { since: '2026-01-01', sunset: '2027-01-01', link: 'https://example.com' },
      },
    },
  ],
];

/** Returns the paths of all references in a value. */
function referencesIn(value: unknown, ...path: readonly string[]): readonly (readonly string[])[] {
  if (!isRecord(value)) return [];
  const inside = membersOf(value).flatMap((name) => referencesIn(at(value, name), ...path, name));
  return '$ref' in value ? [path, ...inside] : inside;
}

function objectsIn(value: unknown): readonly object[] {
  return isRecord(value) ? [value, ...membersOf(value).flatMap((name) => objectsIn(at(value, name)))] : [];
}

describe('the components of the document', () => {
  it.each(DOCUMENTS)('are all referred to, and all references resolve, with %s', (_, options) => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument(options)));
    const used = referencesIn(document).map((path) => behindReferences(document, ...path).join(' '));
    const components = at(document, 'components');
    const names = membersOf(components)
      .filter((kind) => kind !== 'securitySchemes')
      .flatMap((kind) => membersOf(at(components, kind)).map((name) => `components ${kind} ${name}`));
    expect([...new Set(used)].toSorted()).toEqual(names.toSorted());
  });

  it('give every fixed value a type, and every list of order statuses one name', () => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument()));
    const objects = objectsIn(document);
    expect(objects.filter((each) => ('const' in each || 'enum' in each) && !('type' in each))).toEqual([]);
    const statuses = at(document, 'components', 'schemas', 'OrderStatus', 'enum');
    expect(objects.filter((each) => isDeepStrictEqual(at(each, 'enum'), statuses))).toHaveLength(1);
  });

  it('have a host, and examples of all that a request must have, for tools that send requests', () => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument()));
    for (const server of listAt(document, 'servers')) expect(URL.canParse(textAt(server, 'url'))).toBe(true);
    const parameters = objectsIn(at(document, 'components', 'parameters'));
    const required = parameters.filter((each) => at(each, 'required') === true && at(each, 'in') !== 'header');
    expect(required.length).toBeGreaterThan(7);
    expect(required.filter((each) => at(each, 'example') === undefined)).toEqual([]);
    // An amount of `int64` is `bigint` to some generators, which JSON cannot write.
    expect(objectsIn(document).filter((each) => at(each, 'format') === 'int64')).toEqual([]);
  });

  // People, generators and language models read the whole document. What exceeds the limit is usually a schema without a
  // title, or an example that a schema has already. Each further operation raises the limit by its part, because a limit of
  // the whole would forbid further operations. About 1,000 of its bytes are references to responses that all of them have.
  it('keep the document of 28 operations below 160,000 bytes when served and 10,500 lines when committed', async () => {
    const { client } = await anApi({ authentication: everyWay() });
    const { text, body } = await client().get('/openapi.json');
    const committed = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
    // A batch of new orders is one of imported ones, too, whose schemas are their own.
    const operations = operationsOf(body).length + 1;
    expect(operations).toBeGreaterThanOrEqual(28);
    expect(Buffer.byteLength(text)).toBeLessThan((160_000 / 28) * operations);
    expect(committed.split('\n').length).toBeLessThan((10_500 / 28) * operations);
  });

  it('reject two components with one name', () => {
    const components = new Components();
    const notFound = { description: 'Not found' };
    expect(components.refer('responses', 'NotFound', notFound)).toEqual({ $ref: '#/components/responses/NotFound' });
    expect(components.refer('responses', 'NotFound', { ...notFound })).toEqual({
      $ref: '#/components/responses/NotFound',
    });
    components.refer('headers', 'NotFound', notFound);
    expect(() => components.refer('responses', 'NotFound', { description: 'Gone' })).toThrow(
      'two different responses named NotFound',
    );
    components.withSchemas({ type: 'string', title: 'Name' });
    expect(() => components.withSchemas({ type: 'integer', title: 'Name' })).toThrow(
      'two different schemas named Name',
    );
  });
});
