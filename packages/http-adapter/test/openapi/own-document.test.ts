import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineOrders, ORDERS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { currentDocument, DEFAULT_BASE_URL } from '../../scripts/current-document.ts';
import { BAKERY } from '../fixtures/a-bakery.ts';
import { anApi, anApiOf } from '../fixtures/an-api.ts';
import { everyWay } from '../fixtures/every-way.ts';
import { at, membersOf } from '../fixtures/json.ts';

const OPENAPI = join(import.meta.dirname, '../../openapi.json');

/** The default lifecycle under other names. None of them is a word of the API, so that each can be replaced in a text. */
const RENAMED = { pending: 'qa', paid: 'qb', shipped: 'qc', delivered: 'qd', cancelled: 'qe' };

const LIKE_ORDERS = defineOrders({
  lifecycle: { qa: ['qb', 'qe'], qb: ['qc', 'qe'], qc: ['qd', 'qe'], qd: ['qe'], qe: [] },
  initial: 'qa',
  cancel: 'qe',
});

const VALID = { pick_up: { at: '09:15' } };

/** Returns the custom data in the examples of a request to place an order and of an order, whose schema has examples. */
function examplesOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { lifecycle, initial, cancel, custom } = BAKERY;
  const definition = defineOrders({ lifecycle, initial, cancel, custom: { parse: custom.parse, schema } });
  const document: unknown = JSON.parse(JSON.stringify(currentDocument({ definition })));
  const examples = at(document, 'paths', '/orders', 'post', 'requestBody', 'content', 'application/json', 'examples');
  const [name = ''] = membersOf(examples);
  const order = at(document, 'components', 'schemas', 'Order', 'examples', 0);
  return [at(examples, name, 'value', 'custom'), at(order, 'custom')];
}

describe('the document', () => {
  it('is openapi.json for the default definition, byte for byte', async () => {
    const { client } = await anApi({ authentication: everyWay(), publicBaseUrl: DEFAULT_BASE_URL });
    const { text } = await client().get('/openapi.json');
    const committed: unknown = JSON.parse(readFileSync(OPENAPI, 'utf8'));
    expect(text).toBe(JSON.stringify(committed));
    expect(JSON.stringify(currentDocument({ definition: ORDERS }))).toBe(text);
  });

  it('differs in the names alone for the same lifecycle under other names', () => {
    const renamed = Object.entries(RENAMED).reduce(
      (text, [from, to]) => text.replaceAll(to, from),
      JSON.stringify(currentDocument({ definition: LIKE_ORDERS })),
    );
    // Only documents of the default definition have this name of an example.
    const named: unknown = JSON.parse(renamed.replaceAll('"advance":{"value"', '"pay":{"value"'));
    expect(named).toEqual(JSON.parse(JSON.stringify(currentDocument())));
  });

  it('names no status of the default definition for another one, except for those of deliveries, fulfillments and erasures', () => {
    const document: unknown = JSON.parse(JSON.stringify(currentDocument({ definition: LIKE_ORDERS })));
    const parts = ['paths', 'schemas', 'examples', 'responses', 'parameters'].flatMap((kind) => {
      const all = at(document, ...(kind === 'paths' ? [kind] : ['components', kind]));
      const own = membersOf(all).filter((name) => !/webhook|fulfillment|erasure/i.test(name));
      return own.map((name) => JSON.stringify(at(all, name)));
    });
    expect(parts.length).toBeGreaterThan(100);
    // Its cancellation is one whatever the status is called.
    const named =
      /\b(pending|paid|shipped|delivered|order\.cancelled|status: cancelled|cancelled_order|[a-z]+ed_at)\b/g;
    const times = ['created_at', 'updated_at', 'occurred_at', 'corrected_at', 'erased_at'];
    expect(parts.flatMap((part) => part.match(named) ?? []).filter((name) => !times.includes(name))).toEqual([]);
  });

  it('has the schema of custom data as it is, and refers to its parts', async () => {
    const { client } = await anApiOf(BAKERY);
    const { body } = await client().get('/openapi.json');
    const schemas = at(body, 'components', 'schemas');
    const { $schema: _dialect, $id: _id, ...own } = BAKERY.custom.schema;
    const place = '#/components/schemas/OrderCustom/$defs';
    expect(at(schemas, 'OrderCustom')).toEqual({
      ...own,
      title: 'OrderCustom',
      properties: {
        pick_up: { $ref: `${place}/PickUp` },
        allergens: { type: 'array', maxItems: 14, items: { $ref: `${place}/Allergen` } },
      },
    });
    expect(at(schemas, 'Order', 'properties', 'id')).toEqual({ $ref: '#/components/schemas/Uuid' });
    expect(at(schemas, 'Order', 'properties', 'custom', 'anyOf')).toEqual([
      { $ref: '#/components/schemas/OrderCustom' },
      { type: 'null' },
    ]);
    expect(at(schemas, 'NewOrder', 'properties', 'custom')).toEqual(at(schemas, 'Order', 'properties', 'custom'));
    expect(at(schemas, 'Order', 'required')).toContain('custom');
    expect(at(schemas, 'NewOrder', 'required')).not.toContain('custom');
    expect(at(schemas, 'OrderChange', 'properties', 'custom', 'anyOf')).toEqual([
      { $ref: '#/components/schemas/OrderCustomPatch' },
      { type: 'null' },
    ]);
  });

  it.each([
    ['the first example', { examples: [null, { pick_up: { at: 'noon' } }, VALID] }],
    ['the default', { examples: [], default: VALID }],
  ])('has %s of custom data that the parser accepts', (_, words) => {
    expect(examplesOf({ ...BAKERY.custom.schema, ...words })).toEqual([VALID, VALID]);
  });

  it('has no custom data in examples of requests, and null in those of orders, without such an example', () => {
    expect(examplesOf({ type: 'object', default: {} })).toEqual([undefined, null]);
  });
});
