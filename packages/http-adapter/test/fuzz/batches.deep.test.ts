import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at } from '../fixtures/json.ts';
import { operationOf, waysOf } from './fuzzed-operation.ts';
import { BATCH, aSeededApi } from './seeded-api.ts';
import { validRequests } from '../hostile/valid-requests.ts';
import { validValues } from '../hostile/valid-values.ts';

/** Returns a response without what differs between requests and between orders. */
const comparable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/"(urn:orders:request:)?[0-9a-f]{8}-[-0-9a-f]{27}"/g, '"id"'));

const JSON_TYPE = 'application/json';
const JSON_REQUEST = { server: '/v1', parameters: {}, repeats: false, surplus: '', accept: undefined } as const;

describe('a batch', () => {
  it('of any bodies has for each the response of its own POST', async () => {
    const [api, other] = [await aSeededApi(), await aSeededApi()];
    const [operation, placing] = [operationOf(api, BATCH), operationOf(api, 'place_order')];
    const broken = waysOf(api, placing).filter(({ name }) => name.startsWith('body'));
    const one = fc.oneof(
      validRequests(placing, api.servers, api.known(placing)),
      ...broken.map((way) => way.broken.map(({ request }) => request)),
    );
    const property = fc.asyncProperty(one, async ({ body }) => {
      if (!body) return;
      const orders = [{ idempotency_key: 'k', order: body.value }];
      const response = await api.send({ ...JSON_REQUEST, operation, body: { type: JSON_TYPE, value: { orders } } });
      // What has too many members, or is no object, is rejected as a whole.
      if ([413, 422].includes(response.status)) return;
      const parameters = { 'Idempotency-Key': 'k' };
      const sent = { type: JSON_TYPE, value: body.value };
      const own = await other.send({ ...JSON_REQUEST, operation: placing, parameters, body: sent });
      const expected = own.status === 201 ? { replayed: false, order: own.body } : { problem: own.body };
      expect(comparable(at(response.body, 'data', 0))).toEqual(comparable({ status: own.status, ...expected }));
    });
    await fc.assert(property, propertyRuns(60));
  });

  it('that imports anything the document allows has a documented response', async () => {
    const api = await aSeededApi();
    const operation = operationOf(api, BATCH);
    const order = operation.body?.schema.properties['orders']?.items?.properties['order'];
    if (!order) throw new Error('a batch has no orders');
    const statuses = new Set<unknown>();
    const property = fc.asyncProperty(
      validValues(order, api.known(operation)),
      fc.boolean(),
      async (input, history) => {
        const value = { import: true, as_history: history, orders: [{ order: input }] };
        const { status, body } = await api.send({ ...JSON_REQUEST, operation, body: { type: JSON_TYPE, value } });
        // One with more than a thousand elements is rejected as a whole.
        expect(status).toBeOneOf([207, 422]);
        statuses.add(at(body, 'data', 0, 'status'));
      },
    );
    await fc.assert(property, propertyRuns(100));
    expect([...statuses]).toEqual(expect.arrayContaining([422]));
  });
});
