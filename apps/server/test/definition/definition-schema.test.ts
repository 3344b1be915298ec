import { findDefinitionFaults, RESERVED_STATUSES } from '@orders/domain';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { DEFINITION_SCHEMA } from '../../src/definition/definition-schema.ts';
import { BAKERY, BAKING } from './definition-files.ts';

const validate = new Ajv2020({ strict: true }).compile(DEFINITION_SCHEMA);

describe('the JSON schema of definition files', () => {
  it('accepts a definition', () => {
    expect(validate({ $schema: 'definition.schema.json', ...BAKERY, custom: BAKING })).toBe(true);
    for (const lifecycle of DEFINITION_SCHEMA.properties.lifecycle.examples)
      expect(validate({ ...BAKERY, lifecycle })).toBe(true);
  });

  it.each([
    { ...BAKERY, lifecycle: [] },
    { ...BAKERY, lifecycle: {} },
    { ...BAKERY, lifecycle: Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`s${at}`, []])) },
    { ...BAKERY, lifecycle: { ...BAKERY.lifecycle, Ready: [] } },
    { ...BAKERY, lifecycle: { ...BAKERY.lifecycle, a234567890123456789012345678901: [] } },
    ...['adjusted', ...RESERVED_STATUSES].map((name) => ({
      ...BAKERY,
      lifecycle: { ...BAKERY.lifecycle, [name]: [] },
    })),
    { ...BAKERY, lifecycle: { ...BAKERY.lifecycle, ready: 'collected' } },
    { ...BAKERY, lifecycle: { ...BAKERY.lifecycle, ready: ['collected', 'collected'] } },
    { ...BAKERY, initial: 1 },
    { ...BAKERY, cancel: null },
  ])('rejects what the server rejects: %j', (definition) => {
    expect(validate(definition)).toBe(false);
    expect(findDefinitionFaults(definition).length).toBeGreaterThan(0);
  });

  it('rejects a schema of custom data that is none, and unknown members', () => {
    expect(validate({ ...BAKERY, custom: { type: 'objects' } })).toBe(false);
    expect(validate({ ...BAKERY, colour: 'red' })).toBe(false);
    expect(validate({ lifecycle: BAKERY.lifecycle, initial: 'received' })).toBe(false);
  });
});
