import { describe, expect, it } from 'vitest';
import type { ApiResponse } from './a-client.ts';
import { anApi } from './an-api.ts';
import { anOrderWithHistory } from './an-order-with-history.ts';
import { at, listAt, textAt } from './json.ts';
import { aNewItem, NO_ORDER } from './new-orders.ts';
import { nextUrl, walk } from './pages.ts';

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
