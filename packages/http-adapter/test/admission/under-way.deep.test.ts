import { ok, ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { underWay } from '../../src/admission/under-way.ts';
import { type Api, anApi } from '../fixtures/an-api.ts';
import { head, KEPT, open, portOf } from '../fixtures/raw-http.ts';

const NO_LIMITS = { read: 0, write: 0, batch: 0, anonymous: 0, public: 0 };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const BODY = '{"a": 1}';

/** Opens requests of an owner, each on a connection of its own, whose bodies do not arrive. */
async function hold({ keys, ...api }: Api, owner: string, count: number, framing: Readonly<Record<string, string>>) {
  const headers = { ...KEPT, ...framing, 'X-API-Key': keys.issue({ owner }) };
  await portOf(api.app);
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const opened = await open(api);
      opened.socket.write(head('POST /v1/order_batches HTTP/1.1', headers));
      return opened;
    }),
  );
}

const rejectedOf = (held: readonly { readonly received: () => string }[]) =>
  held.filter(({ received }) => received().startsWith('HTTP/1.1 503 ')).length;

describe('requests whose bodies do not arrive', () => {
  it.each([
    ['with a length', { ...JSON_TYPE, 'Content-Length': `${BODY.length}` }],
    ['in chunks', { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }],
    ['in chunks without a media type', { 'Transfer-Encoding': 'chunked' }],
  ])('keep no other owner out, and the oldest ones go on: %s', async (_, framing) => {
    const api = await anApi({ concurrencyMax: 10, rateLimits: NO_LIMITS });
    const read = async (owner: string) => (await api.client(api.keys.issue({ owner })).get('/v1/orders')).status;
    const first = await hold(api, 'owner 0', 12, framing);
    // Half of the places. The owner itself is rejected, too.
    await vi.waitFor(() => expect(rejectedOf(first)).toBe(7));
    expect([await read('owner 0'), await read('another')]).toEqual([503, 200]);
    for (let owner = 1; owner < 6; owner += 1) {
      const next = await hold(api, `owner ${owner}`, 12, framing);
      await vi.waitFor(() => expect(rejectedOf(next)).toBeGreaterThanOrEqual(8));
      expect([await read('another'), (await api.client().get('/livez')).status]).toEqual([200, 200]);
    }
    const going = first.find(({ received }) => received() === '');
    going?.socket.write('Content-Length' in framing ? BODY : `8\r\n${BODY}\r\n0\r\n\r\n`);
    const status = 'Content-Type' in framing ? 422 : 415;
    await vi.waitFor(() => expect(going?.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `)));
  });

  it('let no flood beyond a share escape the limit of its owner', async () => {
    const api = await anApi({ concurrencyMax: 10, rateLimits: { ...NO_LIMITS, read: 2 } });
    const read = async (owner: string) => (await api.client(api.keys.issue({ owner })).get('/v1/orders')).status;
    const held = await hold(api, 'owner', 6, { ...JSON_TYPE, 'Content-Length': '9' });
    await vi.waitFor(() => expect(rejectedOf(held)).toBe(1));
    const statuses = [await read('owner'), await read('owner'), await read('owner'), await read('another')];
    expect(statuses).toEqual([503, 503, 429, 200]);
  });
});

describe('lookups of credentials of one address', () => {
  it('take half of the places, so that other addresses are still looked up', async () => {
    let find = () => new Promise<null>(() => undefined);
    const keyStore = { find: () => new ResultAsync(find().then((key) => ok(key))) };
    const rateLimits = { ...NO_LIMITS, public: 2 };
    const api = await anApi({ concurrencyMax: 10, rateLimits, keyStore, server: { trustProxy: true } });
    const send = async (from: string, key: string, path = '/v1/orders') =>
      (await api.client(`ord_0123456789_${key}`).get(path, { 'x-forwarded-for': from })).status;
    const pending = Array.from({ length: 5 }, (_, n) => send('192.0.2.1', `pending${n}`));
    const limited = Promise.any(Array.from({ length: 2 }, (_, n) => send('192.0.2.1', `limited${n}`)));
    expect(await Promise.race([limited, ...pending])).toBe(429);
    const pages: number[] = [];
    for (let page = 0; page < 3; page += 1) pages.push(await send('192.0.2.1', 'none', '/openapi.json'));
    expect(pages).toEqual([503, 503, 429]);
    find = () => Promise.resolve(null);
    expect([await send('192.0.2.1', 'same'), await send('192.0.2.2', 'other')]).toEqual([429, 401]);
  });
});

describe('the places of requests', () => {
  /** Creates ten places and 1,000 bytes, and collects the names of requests that lose their place. */
  function somePlaces() {
    const places = underWay({ requestsMax: 10, bytesMax: 1000 });
    const lost: string[] = [];
    const enter = (owner: string, name = owner) => {
      const place = places.enter(owner);
      if (place) place.reject = () => lost.push(name);
      return place;
    };
    return { ...places, enter, lost };
  }

  it('are those of complete requests to their end, and of half of the requests of one owner at most', () => {
    const { enter, leave, lost } = somePlaces();
    const running = Array.from({ length: 6 }, () => enter('a'));
    for (const place of running) if (place) place.reject = undefined;
    expect(running.map((place) => place !== undefined)).toEqual([true, true, true, true, true, false]);
    expect(['b', 'b', 'b', 'b'].map((owner) => enter(owner) !== undefined)).toEqual([true, true, true, false]);
    expect(lost).toEqual([]);
    for (const place of running.slice(0, 2)) if (place) leave(place);
    expect(enter('b')).toBeDefined();
  });

  it('are lost by the newest request of the owner with most, when another owner needs them', () => {
    const { enter, lost } = somePlaces();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) enter('a', name);
    for (const name of ['b1', 'b2', 'b3', 'b4', 'b5']) enter('b', name);
    expect(lost).toEqual(['a5']);
    expect(enter('c')).toBeDefined();
    expect([enter('c'), enter('c')].every(Boolean)).toBe(true);
    expect(lost).toEqual(['a5', 'b4', 'a4']);
  });

  it('are lost when the bodies of the owner with most take more than the others leave', () => {
    const { enter, hold, leave, lost } = somePlaces();
    const [first, second, empty, other] = [enter('a', 'a1'), enter('a', 'a2'), enter('a', 'a3'), enter('b')];
    if (!first || !second || !empty || !other) throw new Error('no place');
    hold(first, 300);
    hold(second, 200);
    expect(lost).toEqual([]);
    hold(other, 300);
    expect(lost).toEqual(['a2']);
    first.reject = undefined;
    hold(empty, 100);
    expect(lost).toEqual(['a2', 'a3']);
    hold(other, 300);
    expect(lost).toEqual(['a2', 'a3', 'b']);
    const last = enter('c');
    if (last) hold(last, 350);
    expect(lost).toHaveLength(3);
    leave(first);
    if (last) hold(last, 150);
    expect(lost).toHaveLength(3);
  });
});
