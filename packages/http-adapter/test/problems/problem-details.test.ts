import { ERROR_CATALOG } from '@orders/http-adapter';
import { errAsync } from 'neverthrow';
import { ORDERS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aThrowingStore } from '../fixtures/a-domain.ts';
import { anApi, BASE_URL } from '../fixtures/an-api.ts';
import { ERROR_CODES } from '../../src/problems/catalog.ts';
import { exampleOf } from '../../src/problems/from-domain.ts';
import { listAt, membersOf, textAt } from '../fixtures/json.ts';
import { aNewItem, aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { PROVOCATIONS } from './provocations.ts';

/*
 * RFC 9457, problem details. Musts that do not apply:
 * - sections 3.1, 3.1.1 and 3.2, what consumers must do: this is the generator.
 * - section 3.2, names of XML extensions: there is no XML form.
 * - section 4.1, registered types: every type is of this API's own.
 */

const EVERY_MEMBER = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '#');
}

describe('every problem of the catalog', () => {
  it.each(ERROR_CODES.filter((code): code is keyof typeof PROVOCATIONS => code in PROVOCATIONS))(
    '%s is sent as problem details with its own members, and a detail like that of its example in the document',
    async (code) => {
      const { provoke, wanted } = PROVOCATIONS[code];
      const { status, title } = ERROR_CATALOG[code];
      const { detail, errors, extra } = exampleOf(code, ORDERS);
      const response = await provoke(await anApi(wanted));
      const id = response.headers['x-request-id'];
      expect(id).toMatch(UUID);
      const type = `${BASE_URL}/problems/${code.replaceAll('_', '-')}`;
      const instance = `urn:orders:request:${id}`;
      const ofEvery = { type, title, status, instance, code, request_id: id };
      expect(response).toMatchObject({ status, body: ofEvery });
      expect(withoutNumbers(textAt(response.body, 'detail'))).toBe(withoutNumbers(detail));
      expect(membersOf(response.body).toSorted()).toEqual(
        [...EVERY_MEMBER, ...(errors ? ['errors'] : []), ...Object.keys(extra ?? {})].toSorted(),
      );
      expect(response.headers).toMatchObject({
        'api-version': '1',
        'cache-control': 'no-store',
        'content-length': `${Buffer.byteLength(response.text)}`,
        'content-type': 'application/problem+json',
        vary: 'Authorization, X-API-Key, Accept, API-Version',
        'x-content-type-options': 'nosniff',
      });
      // Of errors that the provocations throw, and of the server.
      expect(response.text).not.toMatch(/hidden cause|stack|node_modules|fastify|\bat [^"]+:\d+:\d+/i);
    },
  );
});

describe('a problem of amounts', () => {
  const priced = (quantity: number) => ({
    items: [aNewItem({ quantity, unit_price: { amount: 1e12, currency: 'EUR' } })],
  });
  const adjustments = (type: string, amount: number) => ({
    adjustments: [{ type, name: 'x', amount: { amount, currency: 'EUR' } }],
  });

  it.each([
    ['negative_total', 1, 'discount', -1e12, -1],
    ['amount_out_of_range', 9007, 'fee', 0, 1e12],
  ] as const)('is 409 where the state of the order is the cause: %s', async (code, quantity, type, placed, later) => {
    const { acme } = await anApi();
    const { url } = await acme.place({ ...priced(quantity), ...adjustments(type, placed) });
    expect(await acme.post(`${url}/adjustments`, adjustments(type, later))).toMatchObject({
      status: 409,
      body: { code, status: 409, type: `${BASE_URL}/problems/${code.replaceAll('_', '-')}` },
    });
    expect(ERROR_CATALOG[code]).toMatchObject({ status: 422, statusOfChange: 409 });
  });
});

describe('the type of a problem', () => {
  it('begins with the configured URL, which may be known late', async () => {
    let port = 0;
    const { acme } = await anApi({ publicBaseUrl: () => `http://127.0.0.1:${port}` });
    port = 3000;
    const { body } = await acme.get('/v1/nothing');
    expect(body).toMatchObject({ type: 'http://127.0.0.1:3000/problems/not-found' });
  });

  it('ignores the headers of the request', async () => {
    const { acme } = await anApi();
    const forged = {
      host: 'evil.test',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'ftp',
      forwarded: 'host=e',
    };
    expect((await acme.get('/v1/nothing', forged)).body).toMatchObject({ type: `${BASE_URL}/problems/not-found` });
  });
});

describe('the errors of a problem', () => {
  it('contain all invalid fields of a body, with code and message', async () => {
    const { acme } = await anApi();
    const bad = { items: [aNewItem({ quantity: 0, id: 'x' })], customer_id: 5, metadata: { 'a.b': 5 }, colour: 'red' };
    const { status, body } = await acme.post('/v1/orders', bad);
    const errors = listAt(body, 'errors').map((error) => [textAt(error, 'field'), textAt(error, 'code')]);
    expect(status).toBe(422);
    expect(errors.toSorted(([left = ''], [right = '']) => left.localeCompare(right, 'en'))).toEqual([
      ['colour', 'unknown_field'],
      ['customer_id', 'wrong_type'],
      ['items[0].id', 'read_only'],
      ['items[0].quantity', 'out_of_range'],
      ['metadata["a.b"]', 'wrong_type'],
    ]);
    expect(listAt(body, 'errors').every((error) => textAt(error, 'message') !== '')).toBe(true);
  });

  it('refer to the body itself when it is no object', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const headers = { 'content-type': 'application/json' };
    for (const payload of ['[]', 'null', '5', '"text"'])
      for (const [method, path] of [
        ['POST', '/v1/orders'],
        ['PATCH', url],
        ['POST', `${url}/cancel`],
      ] as const) {
        const response = await acme.send({ method, url: path, headers, payload });
        expect(response).toMatchObject({ status: 422, body: { errors: [{ field: '', code: 'wrong_type' }] } });
      }
  });

  it('are at most a hundred for a body', async () => {
    const { acme } = await anApi();
    const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`field_${index}`, 1]));
    expect(listAt((await acme.post('/v1/orders', aNewOrder(unknown))).body, 'errors')).toHaveLength(100);
  });
});

describe('a failure of the server', () => {
  const thrown: unknown[] = [new Error('password=hunter2'), null, { password: 'hunter2' }];
  it.each(thrown)('reveals nothing about the thrown value: %s', async (whatever) => {
    const { acme } = await anApi(aThrowingStore(whatever));
    const response = await acme.get(`/v1/orders/${NO_ORDER}`);
    expect(response).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.text).not.toMatch(/password|hunter2|null|undefined|stack/);
  });

  it('differs from invalid credentials while the key store is unavailable', async () => {
    const keyStore = { find: () => errAsync({ type: 'unavailable' as const, cause: new Error('secret') }) };
    const { acme } = await anApi({ keyStore });
    const response = await acme.get('/v1/orders');
    expect(response).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(response.headers).toHaveProperty('retry-after');
    expect(response.headers).not.toHaveProperty('www-authenticate');
    expect(response.text).not.toContain('secret');
  });
});
