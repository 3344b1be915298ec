import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';

/** Whether two anonymous clients at these addresses share a limit of one request. */
async function areOne(first: string, second: string): Promise<boolean> {
  const { client } = await anApi({ rateLimits: { anonymous: 1 }, server: { trustProxy: true } });
  const send = (address: string) => client().get('/v1/orders', { 'x-forwarded-for': address });
  expect((await send(first)).status).toBe(401);
  return (await send(second)).status === 429;
}

describe('anonymous clients', () => {
  it.each([
    ['the same address', '192.0.2.7', '192.0.2.7'],
    ['an IPv4 address and the same one as IPv6', '192.0.2.7', '::ffff:192.0.2.7'],
    ['two spellings of that', '::ffff:192.0.2.7', '0:0:0:0:0:FFFF:C000:207'],
    ['two addresses of a /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['two spellings of an IPv6 address', '2001:db8:0:2:0:0:0:1', '2001:DB8:0:0002::1'],
    ['two links of one machine', 'fe80::1%eth0', 'fe80::2%eth1'],
    ['the same word, which is not an address', 'unknown', 'unknown'],
    ['long words with the same beginning', `${'x'.repeat(64)}a`, `${'x'.repeat(64)}b`],
  ])('share a limit at %s', async (_, first, second) => {
    expect(await areOne(first, second)).toBe(true);
  });

  it.each([
    ['two IPv4 addresses', '192.0.2.7', '192.0.2.8'],
    ['the same as IPv6', '::ffff:192.0.2.7', '::ffff:192.0.2.8'],
    ['addresses of two /64s', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['an IPv4 address and one of IPv6 that ends like it', '192.0.2.7', '2001:db8::192.0.2.7'],
    ['two words', 'unknown', '_hidden'],
    ['an address and what only begins like it', '192.0.2.7', '192.0.2.7x'],
  ])('have separate limits at %s', async (_, first, second) => {
    expect(await areOne(first, second)).toBe(false);
  });
});
