import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';
import { fieldsOf, urlOf } from '../hostile/fuzz-requests.ts';
import { OPERATION_IDS, operationOf, waysOf } from './fuzzed-operation.ts';
import { aSeededApi } from './seeded-api.ts';

const URL_LIMIT = 8 * 1024;

describe('a request with one invalid part', () => {
  it.each(OPERATION_IDS)('is rejected with the place of the fault: %s', async (id) => {
    const api = await aSeededApi();
    const operation = operationOf(api, id);
    for (const { name, status, broken } of waysOf(api, operation)) {
      const property = fc.asyncProperty(broken, async ({ request, field }) => {
        const response = await api.send(request);
        // A list can exceed the maximum length of a URL, which is then rejected.
        const isLong = urlOf(request).length > URL_LIMIT;
        expect({ name, status: response.status }).toEqual({ name, status: isLong ? 414 : status });
        expect(operation.statuses).toContain(`${response.status}`);
        const named = isLong ? [field] : fieldsOf(response);
        // An element of a set has its place.
        const isNamed = named.some((each) => each === field || each.startsWith(`${field}[`));
        expect({ name, field, named: isNamed }).toEqual({ name, field, named: true });
      });
      await fc.assert(property, propertyRuns(1));
    }
  });

  it('is rejected without a required body', async () => {
    const api = await aSeededApi();
    const operations = api.operations.filter(({ body }) => body?.required);
    expect(operations).not.toEqual([]);
    for (const operation of operations) {
      const parameters = { id: api.seeds.long };
      const response = await api.send({
        operation,
        server: '/v1',
        parameters,
        repeats: false,
        surplus: '',
        body: undefined,
        accept: undefined,
      });
      expect(response).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
    }
  });
});

describe('the longest header that the document allows', () => {
  it('can be sent, and nearly fills the request head', async () => {
    const api = await aSeededApi();
    const headers = api.operations
      .flatMap(({ parameters }) => parameters)
      .filter(({ place, schema }) => place === 'header' && !schema.values);
    const longest = new Map(headers.map(({ name, schema }) => [name, schema.maxLength]));
    expect([...longest.keys()]).toEqual(['Idempotency-Key', 'Orders-External-User-Id', 'If-Match', 'If-None-Match']);
    for (const [name, length] of longest) {
      const { app, check, keys } = await anApi();
      const send = (value: string) => {
        const sent = { 'X-API-Key': keys.issue(), [name]: value };
        return sendBytes({ app, check }, head(`DELETE /v1/orders/${NO_ORDER} HTTP/1.1`, sent));
      };
      expect((await send('"a"'.padEnd(length, ','))).status).not.toBe(431);
      expect(await send('a'.repeat(16_384))).toMatchObject({ status: 431, body: { code: 'headers_too_large' } });
    }
  });
});
