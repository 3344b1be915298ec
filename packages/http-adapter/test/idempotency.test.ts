import { describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, undated } from './a-client.ts';
import { anApi } from './an-api.ts';
import { at } from './json.ts';
import { aNewItem, aNewOrder } from './new-orders.ts';

const key = (value: string) => ({ 'idempotency-key': value });
/** Headers with a key and a fixed request id, so that two responses differ only in their content. */
const sent = (value: string) => ({ ...key(value), 'x-request-id': 'the-same' });

/** Returns the expected replay of `response`. */
const replayOf = ({ headers, ...response }: ApiResponse) => ({
  ...response,
  headers: { ...headers, 'idempotent-replayed': 'true' },
});

const WRITES: readonly [string, (client: Client, url: string) => Promise<ApiResponse>][] = [
  ['a creation', (client) => client.post('/v1/orders', aNewOrder({ reference: 'A-2' }), sent('k'))],
  ['a change', (client, url) => client.patch(url, { status: 'paid', note: 'x' }, sent('k'))],
  ['a change of nothing', (client, url) => client.patch(url, {}, sent('k'))],
  ['a cancellation', (client, url) => client.post(`${url}/cancel`, { reason: 'x' }, sent('k'))],
  ['a deletion', (client, url) => client.delete(url, sent('k'))],
];

describe.each(WRITES)('the replay of %s', (_, write) => {
  it('equals the first response, with Idempotent-Replayed: true', async () => {
    const { acme, clock } = await anApi();
    const { url } = await acme.place();
    const first = undated(await write(acme, url));
    clock.advance(5000);
    expect(first.status).toBeLessThan(300);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(undated(await write(acme, url))).toEqual(replayOf(first));
  });

  it('does not change when the order is changed or deleted', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const first = undated(await write(acme, url));
    const now = first.headers['location'] ?? url;
    await acme.patch(now, { note: 'changed' });
    expect(undated(await write(acme, url))).toEqual(replayOf(first));
    await acme.delete(now);
    expect(undated(await write(acme, url))).toEqual(replayOf(first));
  });

  it('is limited to the same client', async () => {
    const { acme, client, keys } = await anApi();
    const { url } = await acme.place();
    await write(acme, url);
    const other = client(keys.issue({ owner: 'other' }));
    const response = await write(other, (await other.place()).url);
    expect(response.status).toBeLessThan(300);
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
  });
});

describe('a creation', () => {
  it('happens once for twenty concurrent requests', async () => {
    const { acme } = await anApi();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => acme.post('/v1/orders', aNewOrder(), key('k'))),
    );
    const [first, ...others] = responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
    expect(others).toEqual([]);
    expect(responses.map(({ status, text }) => [status, text])).toEqual(responses.map(() => [201, first?.text]));
    expect(at((await acme.get('/v1/orders')).body, 'data')).toHaveLength(1);
  });

  it('does not happen without a key', async () => {
    const { acme } = await anApi();
    await Promise.all([acme.place(), acme.place()]);
    expect(at((await acme.get('/v1/orders')).body, 'data')).toHaveLength(2);
  });

  it('ends after one day', async () => {
    const { acme, clock } = await anApi();
    const first = await acme.place({}, key('k'));
    clock.advance(24 * 60 * 60 * 1000 - 1);
    expect((await acme.place({}, key('k'))).id).toBe(first.id);
    clock.advance(1);
    expect((await acme.place({}, key('k'))).id).not.toBe(first.id);
  });
});

describe('an equivalent request', () => {
  it('may have another key order and other white space', async () => {
    const { acme } = await anApi();
    const headers = { ...key('k'), 'content-type': 'application/json' };
    const item = JSON.stringify(aNewItem());
    const bodies = [
      `{"items":[${item}],"metadata":{"a":"1","b":"2"},"note":"x"}`,
      `{ "note" : "x",\n "metadata":{"b":"2", "a":"1"}, "items": [ ${item} ], "reference": null }`,
    ];
    const responses = [];
    for (const payload of bodies)
      responses.push(await acme.send({ method: 'POST', url: '/v1/orders', headers, payload }));
    expect(responses[1]).toMatchObject({
      status: 201,
      text: responses[0]?.text,
      headers: { 'idempotent-replayed': 'true' },
    });
  });

  it('may use POST cancel or PATCH, with another If-Match', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const first = await acme.post(`${url}/cancel`, { reason: 'x' }, { ...key('k'), 'if-match': '"1-1"' });
    const again = await acme.patch(
      url,
      { status: 'cancelled', cancel_reason: 'x' },
      { ...key('k'), 'if-match': '"9-1"' },
    );
    expect(again).toMatchObject({ status: 200, text: first.text, headers: { 'idempotent-replayed': 'true' } });
  });
});

describe('a key', () => {
  it.each([
    ['k', '"k"'],
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['!~', '"!~"'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
    ['\\'.repeat(255), `"${'\\'.repeat(510)}"`],
  ])('is the same with and without quotes: %s', async (bare, quoted) => {
    const { acme } = await anApi();
    const first = await acme.place({}, key(bare));
    expect((await acme.place({}, key(quoted))).response).toMatchObject({ text: first.response.text });
  });

  it.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['too long', 'x'.repeat(256)],
    ['too long in quotes', `"${'x'.repeat(256)}"`],
    ['with a space', 'a b'],
    ['with a space in quotes', '"a b"'],
    ['with a tab', 'a\tb'],
    ['with a non-ASCII character', 'cl\xe9'],
    ['with one quote', '"a'],
    ['with a quote in quotes', '"a"b"'],
    ['with a malformed escape', '"a\\b"'],
  ])('is rejected by every write if it is %s', async (_, value) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const responses = [
      await acme.post('/v1/orders', aNewOrder(), key(value)),
      await acme.patch(url, { note: 'x' }, key(value)),
      await acme.post(`${url}/cancel`, undefined, key(value)),
      await acme.delete(url, key(value)),
    ];
    const errors = [{ field: 'Idempotency-Key', code: 'invalid_format' }];
    expect(responses).toMatchObject(
      responses.map(() => ({ status: 400, body: { code: 'invalid_idempotency_key', errors } })),
    );
    expect((await acme.get(url)).body).toMatchObject({ version: 1 });
  });

  it('is rejected if it is sent twice', async () => {
    const { acme } = await anApi();
    const response = await acme.post('/v1/orders', aNewOrder(), { 'idempotency-key': ['a', 'a'] });
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } });
  });

  it('is refused for another command', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place({}, key('k'));
    const other = await acme.place();
    const reused = { status: 422, body: { code: 'idempotency_key_reused' } };
    expect(await acme.post('/v1/orders', aNewOrder({ note: 'x' }), key('k'))).toMatchObject(reused);
    expect(await acme.patch(url, {}, key('k'))).toMatchObject(reused);
    expect(await acme.delete(url, key('k'))).toMatchObject(reused);
    await acme.delete(url, key('d'));
    expect(await acme.delete(other.url, key('d'))).toMatchObject(reused);
    expect((await acme.get(other.url)).status).toBe(200);
  });

  it('stays unused if the request is rejected', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place({ reference: 'A-1' });
    expect((await acme.post('/v1/orders', { items: [] }, key('k'))).status).toBe(422);
    expect((await acme.post('/v1/orders', aNewOrder({ reference: 'A-1' }), key('k'))).status).toBe(409);
    expect((await acme.patch(url, { status: 'shipped' }, key('k'))).status).toBe(409);
    expect((await acme.delete(url, { ...key('k'), 'if-match': '"9-1"' })).status).toBe(412);
    const { response } = await acme.place({ reference: 'A-2' }, key('k'));
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
  });
});
