import type { OrderVersion } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { type ApiResponse, undated } from './a-client.ts';
import { aDomainOver } from './a-domain.ts';
import { anApi } from './an-api.ts';
import { at, listAt, textAt } from './json.ts';
import { aNewItem, aNewOrder, NO_ORDER } from './new-orders.ts';
import { nextUrl, walk } from './pages.ts';

/** An API with an order that was placed, annotated, paid, cancelled and deleted, each a second after the other. */
async function anOrderWithHistory() {
  const api = await anApi();
  const { acme, clock } = api;
  const { id, url, response: placed } = await acme.place({ note: 'First' });
  const later = (write: () => Promise<ApiResponse>) => {
    clock.advance(1000);
    return write();
  };
  const changed = [
    placed,
    await later(() => acme.patch(url, { note: 'Second' })),
    await later(() => acme.patch(url, { status: 'paid' })),
    await later(() => acme.post(`${url}/cancel`, { reason: 'out of stock' })),
  ];
  return { ...api, id, url, changed, remove: () => later(() => acme.delete(url)) };
}

/** Returns the version numbers of a page. */
function numbers({ body }: ApiResponse): readonly unknown[] {
  return listAt(body, 'data').map((version) => at(version, 'version'));
}

const ACTOR = 'api_key:ord_test';

describe('GET versions', () => {
  it('returns every change of an order, newest first, also after its deletion', async () => {
    const { acme, url, changed, remove } = await anOrderWithHistory();
    const times = ['05.678', '06.678', '07.678', '08.678', '09.678'].map((second) => `2026-01-02T03:04:${second}Z`);
    const [first, second, third, fourth] = changed.map(({ body }) => body);
    const made = { actor: ACTOR };
    const versions = [
      { ...made, version: 1, type: 'order.placed', changed: [], occurred_at: times[0], order: first },
      { ...made, version: 2, type: 'order.changed', changed: ['note'], occurred_at: times[1], order: second },
      { ...made, version: 3, type: 'order.paid', changed: ['status', 'paid_at'], occurred_at: times[2], order: third },
      {
        ...made,
        version: 4,
        type: 'order.cancelled',
        changed: ['status', 'cancelled_at', 'cancel_reason'],
        occurred_at: times[3],
        order: fourth,
      },
    ];
    expect((await acme.get(`${url}/versions`)).body).toEqual({
      data: versions.toReversed(),
      page: { limit: 20, has_more: false, next_cursor: null },
    });
    await remove();
    const tombstone = { ...made, version: 5, type: 'order.deleted', changed: [], occurred_at: times[4], order: null };
    expect((await acme.get(`${url}/versions`)).body).toMatchObject({ data: [tombstone, ...versions.toReversed()] });
  });

  it('pages by cursor, whatever the case of the id', async () => {
    const { acme, id, url } = await anOrderWithHistory();
    const pages = await walk(acme, `${url}/versions?limit=3`);
    expect(pages.map(numbers)).toEqual([[4, 3, 2], [1]]);
    expect(pages.map(({ body }) => at(body, 'page', 'has_more'))).toEqual([true, false]);
    const next = nextUrl(await acme.get(`${url.replace(id, id.toUpperCase())}/versions?limit=3`)) ?? '';
    expect(next).toContain(id.toUpperCase());
    expect(numbers(await acme.get(next))).toEqual([1]);
  });

  it('pages consistently while the order changes', async () => {
    const { acme, url, remove } = await anOrderWithHistory();
    const first = await acme.get(`${url}/versions?limit=2`);
    await remove();
    expect(numbers(await acme.get(nextUrl(first) ?? ''))).toEqual([2, 1]);
  });

  it('has pages that end early if their orders have too many items', async () => {
    const { acme } = await anApi();
    const items = Array.from({ length: 100 }, () => aNewItem());
    const { url } = await acme.place({ items });
    for (let change = 0; change < 10; change += 1) await acme.patch(url, { note: `${change}` });
    const pages = await walk(acme, `${url}/versions?limit=100`);
    expect(pages.map((page) => numbers(page).length)).toEqual([10, 1]);
  });

  it.each([
    ['before the first one', '2026-01-02T03:04:05.677Z', []],
    ['of the first one', '2026-01-02T03:04:05.678Z', [1]],
    ['between two', '2026-01-02T03:04:07.677Z', [2]],
    ['of another', '2026-01-02T03:04:07.678Z', [3]],
    ['with nanoseconds', '2026-01-02T03:04:07.677999999Z', [2]],
    ['with an offset', '2026-01-02T05:04:07.678+02:00', [3]],
    ['in lower case', '2026-01-02t03:04:07.678z', [3]],
    ['without a fraction', '2026-01-02T03:04:09Z', [4]],
    ['in the future', '9999-12-31T23:59:59Z', [4]],
  ])('returns only the version of the time at: %s', async (_, time, expected) => {
    const { acme, url } = await anOrderWithHistory();
    const response = await acme.get(`${url}/versions?limit=2&at=${encodeURIComponent(time)}`);
    expect(numbers(response)).toEqual(expected);
    expect(at(response.body, 'page')).toEqual({ limit: 2, has_more: false, next_cursor: null });
  });

  it('returns the deletion for a time after it', async () => {
    const { acme, url, remove } = await anOrderWithHistory();
    await remove();
    expect((await acme.get(`${url}/versions?at=2026-01-02T03:04:10Z`)).body).toMatchObject({
      data: [{ version: 5, order: null }],
    });
  });

  it.each([
    ['at=yesterday', 'invalid_parameter', ['at']],
    ['at=2026-01-02', 'invalid_parameter', ['at']],
    ['at=2026-02-30T00:00:00Z', 'invalid_parameter', ['at']],
    ['at=2026-01-02T03:04:05', 'invalid_parameter', ['at']],
    // A plus sign is a space unless it is percent-encoded.
    ['at=2026-01-02T03:04:05+01:00', 'invalid_parameter', ['at']],
    ['at=', 'invalid_parameter', ['at']],
    ['at=2026-01-02T03:04:05Z&at=2026-01-02T03:04:05Z', 'invalid_parameter', ['at']],
    ['limit=0&at=x', 'invalid_parameter', ['limit', 'at']],
    ['after=x', 'invalid_cursor', ['after']],
    ['offset=1', 'unknown_parameter', ['offset']],
    ['sort=created_at', 'unknown_parameter', ['sort']],
  ])('rejects %s with 400 %s', async (query, code, fields) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const response = await acme.get(`${url}/versions?${query}`);
    expect(response).toMatchObject({ status: 400, body: { code } });
    expect(new Set(listAt(response.body, 'errors').map((error) => textAt(error, 'field')))).toEqual(new Set(fields));
  });

  it('rejects at with a cursor as conflicting parameters', async () => {
    const { acme, url } = await anOrderWithHistory();
    const next = nextUrl(await acme.get(`${url}/versions?limit=1`)) ?? '';
    expect(await acme.get(`${next}&at=2026-01-02T03:04:05Z`)).toMatchObject({
      status: 400,
      body: { code: 'conflicting_parameters', errors: [{ field: 'at', code: 'invalid_value' }] },
    });
  });

  it('reports all faults of path and query together', async () => {
    const { acme } = await anApi();
    const response = await acme.get('/v1/orders/1/versions?limit=0&after=y&at=x&page=1');
    expect(new Set(listAt(response.body, 'errors').map((error) => textAt(error, 'field')))).toEqual(
      new Set(['id', 'limit', 'after', 'at', 'page']),
    );
  });

  it('returns 404 order_not_found for a nonexistent order and for that of another owner', async () => {
    const { url, client, keys } = await anOrderWithHistory();
    const other = client(keys.issue({ owner: 'other' }));
    for (const path of [url, `/v1/orders/${NO_ORDER}`]) {
      for (const query of ['', '?at=2026-01-02T03:04:05.678Z']) {
        expect(await other.get(`${path}/versions${query}`)).toMatchObject({
          status: 404,
          body: { code: 'order_not_found' },
        });
      }
    }
  });
});

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
