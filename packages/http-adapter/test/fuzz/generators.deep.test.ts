import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedSchemas } from '../openapi-schemas.ts';
import { forbiddenParts } from './fuzz-requests.ts';
import { OPERATION_IDS, operationOf, waysOf } from './fuzzed-operation.ts';
import { readRequestSchema } from './request-schema.ts';
import { aSeededApi } from './seeded-api.ts';
import { validRequests } from './valid-requests.ts';

const SEED = 20_260_102;

describe('the requests that are generated', () => {
  it('are allowed by the document when they are to be', async () => {
    const api = await aSeededApi();
    const schemas = closedSchemas(api.document);
    for (const id of OPERATION_IDS) {
      const operation = operationOf(api, id);
      const valid = validRequests(operation, api.servers, api.known(operation));
      fc.assert(
        fc.property(valid, (request) => {
          expect({ id, forbidden: forbiddenParts(schemas, request) }).toEqual({ id, forbidden: [] });
        }),
        { seed: SEED, numRuns: 150 },
      );
    }
  });

  it('are forbidden in just the part that is to be broken', async () => {
    const api = await aSeededApi();
    const schemas = closedSchemas(api.document);
    for (const operation of api.operations) {
      for (const { name, part, broken } of waysOf(api, operation)) {
        const forbidden = part === undefined ? [] : [part];
        fc.assert(
          fc.property(broken, ({ request }) => {
            expect({ name, forbidden: forbiddenParts(schemas, request) }).toEqual({ name, forbidden });
          }),
          { seed: SEED, numRuns: 4 },
        );
      }
    }
  });

  it('are broken in every part, but for the one header that is never refused', async () => {
    const api = await aSeededApi();
    for (const operation of api.operations) {
      const parts = [...operation.parameters.map(({ name }) => name), ...(operation.body ? ['body'] : [])];
      const broken = new Set(waysOf(api, operation).map(({ part }) => part));
      expect(parts.filter((part) => !broken.has(part))).toEqual(['X-Request-Id']);
    }
  });
});

describe('a schema that the generators do not know', () => {
  it.each([
    ['multipleOf', { type: 'integer', multipleOf: 5 }],
    ['uniqueItems', { type: 'array', items: { type: 'string' }, uniqueItems: true }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }],
    ['type boolean', { type: 'boolean' }],
    ['format "date-time"', { type: 'string', format: 'date-time' }],
    ['an object that is open', { type: 'object', properties: {} }],
    [
      'members of both kinds',
      { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: { type: 'null' } },
    ],
    ['what has no type', { maxLength: 5 }],
    ['minProperties', { type: 'object', additionalProperties: { type: 'object', minProperties: 1 } }],
  ])('is refused by name, and not passed over: %s', (name, schema) => {
    expect(() => readRequestSchema({}, schema)).toThrow(`do not know ${name}`);
  });
});
