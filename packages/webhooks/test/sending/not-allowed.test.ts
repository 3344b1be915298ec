import { afterEach, describe, expect, it, vi } from 'vitest';
import { NOT_ALLOWED_AFTER_MS } from '../../src/sending/checked-addresses.ts';
import { ADDRESSES_MAX, type Lookup } from '../../src/sending/dns-lookup.ts';
import { aSender, anEndpoint, MESSAGE } from './a-sender.ts';

/** As many public addresses as a name may have. */
const MANY = Array.from({ length: ADDRESSES_MAX }, () => '93.184.215.14');

/** What the lookups of names find. */
const FOUND: Readonly<Record<string, Lookup>> = {
  'private.example': () => Promise.resolve(['10.0.0.1']),
  'private-late.example': () => Promise.resolve([...MANY.slice(1), '10.0.0.1']),
  'many.example': () => Promise.resolve([...MANY, ...MANY]),
  'unknown.example': () => Promise.resolve([]),
  'silent.example': (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve([]));
    }),
};

afterEach(() => void vi.useRealTimers());

describe('a target that is not allowed or not found', () => {
  it('gives one result after one time, whatever the reason', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const names = Object.keys(FOUND);
    const hosts = [...names, '10.0.0.1', 'localhost'];
    const lookedUp = Promise.withResolvers<undefined>();
    let lookups = 0;
    const lookup: Lookup = async (name, signal) => {
      lookups += 1;
      if (lookups === names.length) lookedUp.resolve(undefined);
      return (await FOUND[name]?.(name, signal)) ?? [];
    };
    const sender = aSender({}, { notAllowedAfterMs: undefined, lookup });
    const results: unknown[] = [];
    const sending = hosts.map(async (host) => {
      results.push(await sender.send('shop', anEndpoint(`https://${host}/`), MESSAGE));
    });
    // The time of this test stands still until then.
    await lookedUp.promise;
    await vi.advanceTimersByTimeAsync(NOT_ALLOWED_AFTER_MS - 1);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(sending);
    expect(results).toEqual(
      hosts.map(() => ({ status: null, error: 'target_not_allowed', duration_ms: 0, retryAfterMs: null })),
    );
    sender.close();
  });

  it('ends at once when its attempt is interrupted', async () => {
    const stop = new AbortController();
    const sender = aSender({}, { notAllowedAfterMs: undefined, lookup: () => Promise.resolve([]) });
    const sending = ['unknown.example', '10.0.0.1'].map((host) =>
      sender.send('shop', anEndpoint(`https://${host}/`), MESSAGE, stop.signal),
    );
    stop.abort();
    for (const result of await Promise.all(sending)) expect(result).toMatchObject({ error: 'interrupted' });
    sender.close();
  });
});
