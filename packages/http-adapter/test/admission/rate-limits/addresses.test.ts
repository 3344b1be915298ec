import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addressKey } from '../../../src/admission/rate-limits/address-key.ts';
import { anApi } from '../../fixtures/an-api.ts';

describe('anonymous clients', () => {
  it.each([
    ['the same address', '192.0.2.7', '192.0.2.7'],
    ['an IPv4 address and the same one as IPv6', '192.0.2.7', '::ffff:192.0.2.7'],
    ['two spellings of that', '::ffff:192.0.2.7', '0:0:0:0:0:FFFF:C000:207'],
    ['two addresses of a /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['two ports of an IPv4 address', '192.0.2.7:5678', '192.0.2.7:5679'],
    ['two ports of an IPv6 address', '[2001:db8:1:2::1]:5678', '[2001:db8:1:2::1]:5679'],
    ['two links in brackets', '[fe80::1%eth0]:5678', '[fe80::1%25en-1.2]:5679'],
    ['an address with and without quotes', '"[2001:db8:1:2::1]:5678"', '2001:db8:1:2::1'],
    ['two words, which are not addresses', 'unknown', '_hidden'],
    ['two numbers, which are not addresses', '3221225991', '0xc0.0.2.8'],
  ])('share a limit at %s', (_, first, second) => {
    expect(addressKey(first)).toBe(addressKey(second));
  });

  it.each([
    ['two IPv4 addresses', '192.0.2.7', '192.0.2.8'],
    ['the same as IPv6', '::ffff:192.0.2.7', '::ffff:192.0.2.8'],
    ['addresses of two /64s', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['an IPv4 address and one of IPv6 that ends like it', '192.0.2.7', '2001:db8::192.0.2.7'],
    ['an address and what only begins like it', '192.0.2.7', '192.0.2.7x'],
  ])('have separate limits at %s', (_, first, second) => {
    expect(addressKey(first)).not.toBe(addressKey(second));
  });

  it('are those of a trusted proxy', async () => {
    const { client } = await anApi({ rateLimits: { anonymous: 1 }, server: { trustProxy: true } });
    const send = async (address: string) => (await client().get('/v1/orders', { 'x-forwarded-for': address })).status;
    expect([await send('192.0.2.7'), await send('192.0.2.8'), await send('192.0.2.7:5678')]).toEqual([401, 401, 429]);
  });

  it('share a limit at a Unix socket, whose connections have no address', async () => {
    const { app } = await anApi({ rateLimits: { anonymous: 1 } });
    const folder = await mkdtemp(join(tmpdir(), 'orders-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const socketPath = join(folder, 'http');
    await app.ready();
    await once(app.server.listen(socketPath), 'listening');
    const send = () =>
      new Promise((resolve, reject) => {
        const sent = get({ socketPath, path: '/v1/orders', agent: false });
        sent.once('error', reject).once('response', (response) => resolve(response.resume().statusCode));
      });
    expect([await send(), await send()]).toEqual([401, 429]);
  });
});
