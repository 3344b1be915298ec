import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { API_KEY_SCHEMES } from '../src/admission/authentication/api-keys.ts';
import { Components } from '../src/openapi/components.ts';
import type { DocumentOptions } from '../src/openapi/document.ts';
import { currentDocument } from '../scripts/current-document.ts';
import { operationsOf } from './fuzz/operations.ts';
import { at, behindReferences, isRecord, membersOf } from './json.ts';

const DOCUMENTS: readonly (readonly [string, Partial<DocumentOptions>])[] = [
  ['every way to authenticate', {}],
  ['API keys only', { authentication: { securitySchemes: API_KEY_SCHEMES, scopeChallenge: undefined } }],
  [
    'deprecated operations',
    {
      prefix: '/shop',
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

  it.each(DOCUMENTS)('include every problem and all responses that operations share, with %s', (_, options) => {
    const paths = at(JSON.parse(JSON.stringify(currentDocument(options))), 'paths');
    const inlined = membersOf(paths).flatMap((path) =>
      membersOf(at(paths, path)).flatMap((method) => {
        const responses = at(paths, path, method, 'responses');
        return membersOf(responses).flatMap((status) => {
          const response = at(responses, status);
          return isRecord(response) && '$ref' in response ? [] : [JSON.stringify(response)];
        });
      }),
    );
    expect(inlined.length).toBeGreaterThan(0);
    expect(inlined).toHaveLength(new Set(inlined).size);
    expect(inlined.filter((response) => response.includes('problem+json'))).toEqual([]);
  });

  it('give every fixed value a type, and every list of order statuses one name', () => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument()));
    const objects = objectsIn(document);
    expect(objects.filter((each) => ('const' in each || 'enum' in each) && !('type' in each))).toEqual([]);
    const statuses = at(document, 'components', 'schemas', 'OrderStatus', 'enum');
    expect(objects.filter((each) => isDeepStrictEqual(at(each, 'enum'), statuses))).toHaveLength(1);
  });

  // People, generators and language models read the whole document, so its size is a cost of each operation. A limit of
  // the whole would forbid further operations. 6,500 bytes are those of an operation with a body, three problems of its
  // own, their schemas, and its part of all other schemas. About 2,000 of them are references to the headers and responses
  // that operations share: OpenAPI has no shorter form of them. What exceeds the limit is usually a schema without a title.
  it('keep the document short: for each operation, 6,500 bytes when served and 400 lines when committed', () => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument()));
    const operations = operationsOf(document).filter(({ method }) => method !== 'HEAD').length;
    expect(Buffer.byteLength(JSON.stringify(document)) / operations).toBeLessThan(6500);
    const committed = readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8');
    expect(committed.split('\n').length / operations).toBeLessThan(400);
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
