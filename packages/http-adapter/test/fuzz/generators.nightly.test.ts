import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedSchemas } from '../openapi/schemas.ts';
import { forbiddenParts } from './fuzz-requests.ts';
import { OPERATION_IDS, operationOf, waysOf } from './fuzzed-operation.ts';
import { readRequestSchema } from './request-schema.ts';
import { aSeededApi } from './seeded-api.ts';
import { validRequests } from './valid-requests.ts';

const SEED = 20_260_102;

describe('the generated requests', () => {
  it('are allowed by the document if they are valid', async () => {
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

  it('are forbidden in exactly the invalid part', async () => {
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

  it('are invalid in every part', async () => {
    const api = await aSeededApi();
    for (const operation of api.operations) {
      const parts = [...operation.parameters.map(({ name }) => name), ...(operation.body ? ['body'] : [])];
      const broken = new Set(waysOf(api, operation).map(({ part }) => part));
      expect(parts.filter((part) => !broken.has(part))).toEqual([]);
    }
  });
});

describe('an unknown schema', () => {
  it.each([
    ['multipleOf', { type: 'integer', multipleOf: 5 }],
    ['uniqueItems', { type: 'array', items: { type: 'string' }, uniqueItems: true }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    ['type boolean', { type: 'boolean' }],
    ['format "date"', { type: 'string', format: 'date' }],
    ['an open object', { type: 'object', properties: {} }],
    [
      'named and unnamed members',
      { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: { type: 'null' } },
    ],
    ['a schema without a type', { maxLength: 5 }],
    ['minProperties', { type: 'object', additionalProperties: { type: 'object', minProperties: 1 } }],
  ])('throws an error instead of being ignored: %s', (name, schema) => {
    expect(() => readRequestSchema({}, schema)).toThrow(`do not support ${name}`);
  });
});
