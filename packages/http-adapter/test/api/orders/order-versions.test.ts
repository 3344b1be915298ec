import type { OrderVersion } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../fixtures/a-client.ts';
import { aDomainOver } from '../../fixtures/a-domain.ts';
import { anApi } from '../../fixtures/an-api.ts';
import { at, listAt } from '../../fixtures/json.ts';
import { aNewItem, aNewOrder } from '../../fixtures/new-orders.ts';
import { nextUrl, walk } from '../../fixtures/pages.ts';

/** Returns the version numbers of a page. */
function numbers({ body }: ApiResponse): readonly unknown[] {
  return listAt(body, 'data').map((version) => at(version, 'version'));
}

/** An API with an order of four versions, each a second after the other. */
async function anOrderWithHistory() {
  const api = await anApi();
  const { acme, clock } = api;
  const { id, url } = await acme.place({ note: 'First' });
  for (const patch of [
    { note: 'Second' },
    { status: 'paid' },
    { status: 'cancelled', cancel_reason: 'out of stock' },
  ]) {
    clock.advance(1000);
    await acme.patch(url, patch);
  }
  return { ...api, id, url };
}

describe('the versions of an order', () => {
  it('are returned in pages, whatever the case of the id, and while the order changes', async () => {
    const { acme, id, url } = await anOrderWithHistory();
    const path = `${url.replace(id, id.toUpperCase())}/versions?limit=3`;
    const pages = await walk(acme, path);
    expect(pages.map(numbers)).toEqual([[4, 3, 2], [1]]);
    expect(pages.map(({ body }) => at(body, 'page', 'has_more'))).toEqual([true, false]);
    const first = await acme.get(path);
    await acme.delete(url);
    expect(numbers(await acme.get(nextUrl(first) ?? ''))).toEqual([1]);
  });

  it('are each the same in the list and alone, also after the deletion', async () => {
    const { acme, clock, url } = await anOrderWithHistory();
    clock.advance(1000);
    await acme.delete(url);
    const { body } = await acme.get(`${url}/versions`);
    const author = { actor: 'api_key:ord_test', external_user_id: null };
    const deletion = { version: 5, type: 'order.deleted', changed: [], order: null, ...author };
    expect(at(body, 'data', 0)).toEqual({ ...deletion, reason: null, occurred_at: '2026-01-02T03:04:09.678Z' });
    for (const version of [1, 2, 3, 4, 5])
      expect((await acme.get(`${url}/versions/${version}`)).body).toEqual(at(body, 'data', 5 - version));
    const missing = await acme.get(`${url}/versions/9`);
    expect(missing).toMatchObject({ status: 404, body: { code: 'version_not_found' } });
  });

  it.each([
    ['2026-01-02T03:04:05.677Z', []],
    ['2026-01-02T05:04:07.678+02:00', [3]],
    ['9999-12-31T23:59:59Z', [4]],
  ])('are only that of a time: %s', async (time, expected) => {
    const { acme, url } = await anOrderWithHistory();
    const response = await acme.get(`${url}/versions?limit=2&at=${encodeURIComponent(time)}`);
    expect(numbers(response)).toEqual(expected);
    expect(at(response.body, 'page')).toEqual({ limit: 2, has_more: false, next_cursor: null });
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
    const url = (await place()).headers['location'] ?? '';
    const writes = [
      place,
      () => acme.patch(url, { note: null, metadata: { alpha: null, beta: '3' } }, keyed('patch')),
      () => acme.patch(url, { status: 'paid' }, keyed('paid')),
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
      const { text: list } = await acme.get(`${url}/versions`);
      for (const [index, { text }] of first.entries()) {
        expect(orderIn(await acme.get(`${url}/versions/${index + 1}`))).toBe(text);
        expect(list).toContain(`"order":${text}}`);
      }
    };
    await expectEqual();
    await acme.delete(url);
    await expectEqual();
    for (const [index, write] of writes.entries()) expect((await write()).text).toBe(first[index]?.text);
  });

  it('is returned as it is stored if it exceeds a limit of this release', async () => {
    const order = anOrder({ note: 'x'.repeat(3000) });
    const times = { occurred_at: order.created_at, actor: null, external_user_id: null };
    const version: OrderVersion = { version: 1, type: null, changed: [], reason: null, order, ...times };
    const { app, keys } = await anApi(aDomainOver({ findVersion: () => okAsync(version) }));
    const headers = { 'x-api-key': keys.issue() };
    // Without the client of the tests, which compares each response with the document.
    const response = await app.inject({ url: `/v1/orders/${order.id}/versions/1`, headers });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ type: null, actor: null, order: { note: order.note } });
  });
});
