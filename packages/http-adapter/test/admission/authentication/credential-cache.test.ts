import { fixedClock } from '@orders/domain/testing';
import { type CredentialLookups, newApiKey } from '@orders/http-adapter';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { cachedLookup } from '../../../src/admission/authentication/credential-cache.ts';

const REQUEST = { ip: '192.0.2.1' };

/** Admits every lookup. */
const ADMITTING: CredentialLookups = { run: async (_, find) => await find(false) };

/** Creates a cached lookup in a store that finds everything, and records the lookups of the store. */
function aLookUp() {
  const clock = fixedClock();
  const lookedUp: string[] = [];
  const cached = cachedLookup(
    (id) => {
      lookedUp.push(id);
      return Promise.resolve(ok(id));
    },
    () => clock.now(),
  );
  return { lookedUp, clock, expire: cached.expire, find: (id: string) => cached(id, REQUEST, ADMITTING) };
}

describe('the lookup of an API key', () => {
  it('happens once in thirty seconds, so that a revocation takes effect', async () => {
    const { client, clock, keys } = await anApi();
    const key = keys.issue();
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => client(key).get('/v1/orders')));
    expect(new Set((await twenty()).map(({ status }) => status))).toEqual(new Set([200]));
    keys.revoke(key, clock.now().toISOString());
    clock.advance(29_999);
    expect((await client(key).get('/v1/orders')).status).toBe(200);
    expect(keys.lookUps(key)).toBe(1);
    clock.advance(1);
    expect((await client(key).get('/v1/orders')).status).toBe(401);
    expect(keys.lookUps(key)).toBe(2);
  });

  it('is repeated for a key that was not found, and happens for each key', async () => {
    const { client, keys } = await anApi();
    const { key, hash } = newApiKey();
    for (let time = 1; time <= 2; time += 1) expect((await client(key).get('/v1/orders')).status).toBe(401);
    expect(keys.lookUps(key)).toBe(2);
    keys.keep(hash, { scopes: ['orders:write'] });
    expect((await client(key).get('/v1/orders')).status).toBe(403);
    expect((await client(keys.issue()).get('/v1/orders')).status).toBe(200);
  });
});

describe('a cached credential', () => {
  it('is returned for thirty seconds', async () => {
    const { clock, find } = aLookUp();
    expect(find('a')).toBeInstanceOf(Promise);
    await find('a');
    clock.advance(29_999);
    expect(find('a')).toEqual(ok('a'));
    clock.advance(1);
    expect(find('a')).toBeInstanceOf(Promise);
  });

  it('that was looked up before all expired is looked up again', async () => {
    const { lookedUp, expire, find } = aLookUp();
    const before = find('a');
    expire();
    await Promise.all([before, find('a')]);
    expect(lookedUp).toEqual(['a', 'a']);
    const later = find('b');
    expire();
    await later;
    await find('b');
    expect(lookedUp).toEqual(['a', 'a', 'b', 'b']);
  });

  it('is looked up again if the clock was set back', async () => {
    const { lookedUp, clock, find } = aLookUp();
    await find('a');
    clock.advance(-3_600_000);
    await find('a');
    expect(lookedUp).toEqual(['a', 'a']);
  });

  it('is evicted after ten thousand newer ones', async () => {
    const { lookedUp, find } = aLookUp();
    for (let n = 0; n <= 10_000; n += 1) await find(`${n}`);
    lookedUp.length = 0;
    await find('1');
    await find('10000');
    expect(lookedUp).toEqual([]);
    await find('0');
    expect(lookedUp).toEqual(['0']);
  });
});

describe('a failed lookup', () => {
  it('fails for all waiting requests, and is repeated by the next', async () => {
    const down = Promise.withResolvers<never>();
    const responses = [down.promise, Promise.resolve(ok('a'))];
    const cached = cachedLookup(
      () => responses.shift() ?? Promise.reject(new Error('too many lookups')),
      () => new Date(),
    );
    const find = (id: string) => cached(id, REQUEST, ADMITTING);
    const both = [find('a'), find('a')];
    down.reject(new Error('down'));
    for (const one of both) await expect(one).rejects.toThrow('down');
    expect(await find('a')).toEqual(ok('a'));
  });
});
