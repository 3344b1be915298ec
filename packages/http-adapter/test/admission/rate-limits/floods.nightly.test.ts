import { fixedClock } from '@orders/domain/testing';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import {
  ADDRESS_WINDOWS_MAX,
  addressCounter,
  OWNER_WINDOWS_MAX,
  ownerCounter,
} from '../../../src/admission/rate-limits/local-counters.ts';
import { UNOBSERVED } from '../../../src/observer.ts';
import { addressKey, widerKey } from '../../../src/admission/rate-limits/address-key.ts';
import { underWay } from '../../../src/admission/under-way.ts';
import { rateLimits } from '../../../src/admission/rate-limits/rate-limits.ts';

const MINUTE = 60_000;
const [ADDRESSES, NETWORKS, WIDE_NETWORKS] = ADDRESS_WINDOWS_MAX;

/** Returns address number `n`. Each has its own /64, and 256 share a /48. */
function addressOf(n: number): string {
  return `2001:db8:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1`;
}

const networkOf = (n: number): string => addressKey(addressOf(n));

function counters() {
  const clock = fixedClock();
  const now = () => clock.now();
  return { clock, owners: ownerCounter(MINUTE, now), addresses: addressCounter(MINUTE, now) };
}

const { log: NO_LOG } = fastify();
const PLACES = underWay({ requestsMax: 1000, bytesMax: 1000 });
const REPLY = { header: () => undefined };

describe('a flood of addresses', () => {
  it('resets no window of an owner, nor of an address of another policy', async () => {
    const clock = fixedClock();
    const limits = rateLimits(
      { rateLimits: { read: 1, anonymous: 1, public: 1 } },
      () => clock.now(),
      NO_LOG,
      UNOBSERVED,
      PLACES,
    );
    const victim = { ip: '192.0.2.7', method: 'GET' };
    const use = async () => [
      await limits.countOwner('read', REPLY, 'acme'),
      await limits.countPublic(victim, REPLY),
      await limits.countPublic({ ...victim, method: 'OPTIONS' }, REPLY),
    ];
    expect(await use()).toEqual([undefined, undefined, undefined]);
    for (let n = 0; n < 110_000; n += 1) void limits.countAnonymous({ ip: addressOf(n) }, REPLY);
    expect((await use()).map((problem) => problem?.code)).toEqual(['rate_limited', 'rate_limited', 'rate_limited']);
  });

  it('resets no window of an address that is over the limit', () => {
    const { addresses } = counters();
    for (let n = 0; n < 100; n += 1) addresses.count('192.0.2.7');
    for (let n = 0; n < 200_000; n += 1) addresses.count(networkOf(n));
    expect(addresses.count('192.0.2.7').count).toBe(101);
  });

  it('shares the few windows of /48s if it comes from one /32', () => {
    const { addresses } = counters();
    for (let n = 0; n < ADDRESSES; n += 1) addresses.count(networkOf(n));
    const shared = Array.from({ length: 512 }, (_, n) => addresses.count(networkOf(ADDRESSES + 256 + n)).count);
    expect([Math.max(...shared), shared.filter((count) => count === 1).length]).toEqual([256, 3]);
    // The window of the /48, which an address without its own window shares.
    expect(addresses.current(networkOf(ADDRESSES + 512))).toBe(256);
    expect(addresses.count('192.0.2.7').count).toBe(1);
  });

  it('shares one window at last if it comes from everywhere, and that window ends like any other', () => {
    const { addresses, clock } = counters();
    // Each in its own network, and in its own wide network.
    const far = (n: number) => `${n.toString(16)}:0:0:0::/64`;
    const all = ADDRESSES + NETWORKS + WIDE_NETWORKS;
    for (let n = 0; n < all; n += 1) expect(addresses.count(far(n)).count).toBe(1);
    expect([addresses.count(far(all)).count, addresses.count('203.0.113.1').count]).toEqual([1, 2]);
    expect([addresses.current('203.0.113.2'), addresses.current(far(1))]).toEqual([2, 1]);
    clock.advance(MINUTE);
    expect(addresses.count('203.0.113.1')).toEqual({ count: 1, resetMs: MINUTE });
  });
});

describe('a flood of owners', () => {
  it('resets no window of an owner and limits no other owner', () => {
    const { clock, owners } = counters();
    for (let n = 0; n < 5; n += 1) owners.count('acme');
    for (let n = 0; n < OWNER_WINDOWS_MAX + 1000; n += 1) owners.count(`owner ${n}`);
    expect(owners.count('acme').count).toBe(6);
    const late = `owner ${OWNER_WINDOWS_MAX + 1}`;
    expect([owners.count(late), owners.count(late), owners.current(late)]).toEqual([
      { count: 1, resetMs: MINUTE },
      { count: 1, resetMs: MINUTE },
      0,
    ]);
    clock.advance(MINUTE);
    expect([owners.count(late).count, owners.count(late).count]).toEqual([1, 2]);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', ['192.0.2.0/24', '192.0.0.0/16']],
    ['2001:db8:1:2::/64', ['2001:db8:1::/48', '2001:db8::/32']],
    ['0:0:0:0::/64', ['0:0:0::/48', '0:0::/32']],
    ['unknown', ['anywhere', 'anywhere']],
  ])('widens from %s to %s', (key, [first, second]) => {
    expect(widerKey(key)).toBe(first);
    expect(widerKey(widerKey(key))).toBe(second);
  });
});
