import { ERROR_CATALOG } from '@orders/http-adapter';
import { errAsync } from 'neverthrow';
import { ORDERS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aThrowingStore } from './a-domain.ts';
import { anApi, BASE_URL } from './an-api.ts';
import { problemExamples } from '../src/openapi/problem-examples.ts';
import { listAt, membersOf, textAt } from './json.ts';
import { aNewItem, aNewOrder, NO_ORDER } from './new-orders.ts';
import { PROVOCATIONS } from './provocations.ts';

const EVERY_MEMBER = ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'];
const TITLES = new Map(Object.entries(ERROR_CATALOG).map(([code, { title }]) => [code, title]));

function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '#');
}

describe('every problem of the catalog', () => {
  it('is provoked by a test', () => {
    expect(Object.keys(PROVOCATIONS).toSorted()).toEqual(Object.keys(ERROR_CATALOG).toSorted());
  });

  it.each(Object.entries(PROVOCATIONS))(
    '%s is sent as problem details with its own members, and a detail like that of its example in the document',
    async (code, { status, members, provoke, wanted }) => {
      const response = await provoke(await anApi(wanted));
      const id = response.headers['x-request-id'];
      expect(response.body).toMatchObject({
        type: `${BASE_URL}/problems/${code.replaceAll('_', '-')}`,
        title: TITLES.get(code),
        status,
        instance: `urn:orders:request:${id}`,
        code,
        request_id: id,
      });
      expect(response.status).toBe(status);
      expect(withoutNumbers(textAt(response.body, 'detail'))).toBe(
        withoutNumbers(textAt(problemExamples(ORDERS), code, 'detail')),
      );
      expect(membersOf(response.body).toSorted()).toEqual([...EVERY_MEMBER, ...members].toSorted());
      expect(response.headers['content-type']).toBe('application/problem+json');
      expect(response.headers['content-length']).toBe(`${Buffer.byteLength(response.text)}`);
    },
  );
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

  it.each(['[]', 'null', '5', '"text"'])('refer to the body itself when it is %s', async (payload) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const headers = { 'content-type': 'application/json' };
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

  it('are at most a hundred for a query', async () => {
    const { acme } = await anApi();
    const unknown = Array.from({ length: 150 }, (_, index) => `parameter_${index}=1`).join('&');
    expect(listAt((await acme.get(`/v1/orders?${unknown}`)).body, 'errors')).toHaveLength(100);
  });
});

describe('a failure of the server', () => {
  const thrown: unknown[] = [
    new Error('password=hunter2'),
    'password=hunter2',
    null,
    undefined,
    { password: 'hunter2' },
  ];
  it.each(thrown)('reveals nothing about the thrown value: %s', async (whatever) => {
    const { acme } = await anApi(aThrowingStore(whatever));
    const response = await acme.get(`/v1/orders/${NO_ORDER}`);
    expect(response).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.text).not.toMatch(/password|hunter2|null|undefined|stack/);
  });

  it('keeps its status if the error has another one', async () => {
    const { acme } = await anApi(aThrowingStore(Object.assign(new Error('gone'), { statusCode: 410, code: 'ENOENT' })));
    expect(await acme.get(`/v1/orders/${NO_ORDER}`)).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  });

  it('states when to retry while the store is unavailable', async () => {
    const { provoke, wanted } = PROVOCATIONS.unavailable;
    const response = await provoke(await anApi(wanted));
    expect(response.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
    expect(response.text).not.toContain('secret');
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
