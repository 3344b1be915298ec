import type { OrderVersion } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { type ApiResponse, undated } from './a-client.ts';
import { aDomainOver } from './a-domain.ts';
import { anApi } from './an-api.ts';
import { anOrderWithHistory } from './an-order-with-history.ts';
import { at, listAt, textAt } from './json.ts';
import { aNewItem, aNewOrder, NO_ORDER } from './new-orders.ts';

describe('GET one version', () => {
  it('returns the same element as the list, for each version', async () => {
    const { acme, url, remove } = await anOrderWithHistory();
    await remove();
    const { body } = await acme.get(`${url}/versions`);
    for (const version of [1, 2, 3, 4, 5]) {
      const response = await acme.get(`${url}/versions/${version}`);
      expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
      expect(response.headers).not.toHaveProperty('etag');
      expect(response.body).toEqual(at(body, 'data', 5 - version));
    }
  });

  it('ignores preconditions, because a version has no entity tag', async () => {
    const { acme, url } = await anOrderWithHistory();
    for (const name of ['if-match', 'if-none-match']) {
      expect((await acme.get(`${url}/versions/1`, { [name]: '"9-1"' })).status).toBe(200);
      expect((await acme.get(`${url}/versions/1`, { [name]: '*' })).status).toBe(200);
    }
  });

  it('returns the headers of GET for HEAD', async () => {
    const { acme, url } = await anOrderWithHistory();
    for (const path of [`${url}/versions?limit=1`, `${url}/versions/1`, `${url}/versions/9`]) {
      const [get, head] = [await acme.get(path), await acme.head(path)];
      const { 'x-request-id': _id, ...headers } = undated(get).headers;
      expect(head).toMatchObject({ status: get.status, headers, text: '' });
    }
  });

  it.each(['9', '2147483647'])('returns 404 version_not_found for the version %s', async (version) => {
    const { acme, url } = await anOrderWithHistory();
    expect(await acme.get(`${url}/versions/${version}`)).toMatchObject({
      status: 404,
      body: { code: 'version_not_found' },
    });
  });

  it('returns 404 version_not_found for an order of another owner, as for a nonexistent one', async () => {
    const { url, client, keys } = await anOrderWithHistory();
    const other = client(keys.issue({ owner: 'other' }));
    for (const path of [url, `/v1/orders/${NO_ORDER}`]) {
      expect(await other.get(`${path}/versions/1`)).toMatchObject({ status: 404, body: { code: 'version_not_found' } });
    }
  });

  it.each([
    ['0', 'out_of_range'],
    ['2147483648', 'out_of_range'],
    ['9'.repeat(400), 'out_of_range'],
    ['-1', 'invalid_format'],
    ['01', 'invalid_format'],
    ['1.0', 'invalid_format'],
    ['1e0', 'invalid_format'],
    ['latest', 'invalid_format'],
    ['%31%20', 'invalid_format'],
    ['', 'invalid_format'],
  ])('rejects the version %s with 400 invalid_parameter', async (version, code) => {
    const { acme, url } = await anOrderWithHistory();
    expect(await acme.get(`${url}/versions/${version}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_parameter', errors: [{ field: 'version', code }] },
    });
  });

  it('reports all faults of path and query together', async () => {
    const { acme } = await anApi();
    const { body } = await acme.get('/v1/orders/1/versions/x?limit=1');
    expect(listAt(body, 'errors').map((error) => textAt(error, 'field'))).toEqual(['id', 'version', 'limit']);
  });

  it('accepts the version in percent encoding', async () => {
    const { acme, url } = await anOrderWithHistory();
    expect((await acme.get(`${url}/versions/%31`)).body).toMatchObject({ version: 1 });
  });
});

describe('the order of a version', () => {
  /** Returns the JSON text of the order in a version. */
  const orderIn = ({ text }: ApiResponse) => text.slice(text.indexOf('"order":') + '"order":'.length, -1);

  it('has the same bytes as the response of its time, to every write and its replay', async () => {
    const { acme, clock } = await anApi();
    const keyed = (name: string) => ({ 'idempotency-key': name });
    // Member names in an order that no representation sorts, and texts that JSON may escape in several ways.
    const order = aNewOrder({
      items: [aNewItem({ name: 'Mug </script> é 😀 \u2028' }), aNewItem()],
      reference: 'A/"1"',
      note: 'a\tb\u0001\\',
      metadata: { zebra: '1', alpha: '2', 10: 'ten', 9: 'nine', __proto__x: '' },
    });
    const place = () => acme.post('/v1/orders', order, keyed('place'));
    const placed = await place();
    const url = placed.headers['location'] ?? '';
    const writes = [
      place,
      () => acme.patch(url, { note: null, metadata: { alpha: null, beta: '3' } }, keyed('patch')),
      () => acme.patch(url, { status: 'paid' }),
      () => acme.post(`${url}/cancel`, { reason: 'x' }, keyed('cancel')),
      () => acme.patch(url, { note: 'last' }, keyed('last')),
    ];
    const first: ApiResponse[] = [];
    for (const write of writes) {
      clock.advance(1000);
      first.push(await write());
      expect((await acme.get(url)).text).toBe(first.at(-1)?.text);
    }
    const expectEqual = async () => {
      for (const [index, { text }] of first.entries()) {
        expect(orderIn(await acme.get(`${url}/versions/${index + 1}`))).toBe(text);
      }
      const { text } = await acme.get(`${url}/versions`);
      for (const response of first) expect(text).toContain(`"order":${response.text}}`);
    };
    await expectEqual();
    await acme.delete(url);
    await expectEqual();
    for (const index of [0, 1, 3, 4]) expect((await writes[index]?.())?.text).toBe(first[index]?.text);
  });
});

it('a version that exceeds a limit of this release is returned as it is stored', async () => {
  const order = anOrder({ note: 'x'.repeat(3000) });
  const version: OrderVersion = {
    version: 1,
    type: null,
    changed: [],
    occurred_at: order.created_at,
    actor: null,
    order,
  };
  const { app, keys } = await anApi(aDomainOver({ findVersion: () => okAsync(version) }));
  const headers = { 'x-api-key': keys.issue() };
  // Without the client of the tests, which compares each response with the document.
  const response = await app.inject({ url: `/v1/orders/${order.id}/versions/1`, headers });
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({ type: null, actor: null, order: { note: order.note } });
});

it('a log line of a version has the id of its order', async () => {
  const texts: string[] = [];
  const logger = { level: 'info', stream: { write: (line: string) => void texts.push(line) } };
  const { acme } = await anApi({ server: { logger } });
  const { id, url } = await acme.place();
  texts.length = 0;
  await acme.get(`${url}/versions`);
  await acme.get(`${url}/versions/1`);
  expect(texts.map((text) => textAt(JSON.parse(text), 'id'))).toEqual([id, id]);
});
