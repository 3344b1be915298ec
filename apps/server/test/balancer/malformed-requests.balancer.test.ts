import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addressOf, aDatabase, anAgreeableServer } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

const ERROR_FILE = join(import.meta.dirname, '../../deploy/haproxy/errors/400.http');

const HEAD = 'POST /first HTTP/1.1\r\nHost: x\r\n';

/** A request with a forged address, to be sent after another one. */
const BEHIND = ['192.0.2.1', '192.0.2.2']
  .map((address) => `GET /behind HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nX-API-Key: guess\r\n\r\n`)
  .join('');

const MALFORMED: Readonly<Record<string, string>> = {
  'two Host headers': 'GET /first HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'bytes that are not HTTP': 'garbage\r\n\r\n',
  'two lengths': `${HEAD}Content-Length: 4\r\nContent-Length: 5\r\n\r\n`,
  'a space in the name of a header': `${HEAD}a b: c\r\n\r\n`,
  'a space before the colon': `${HEAD}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  'an unknown transfer coding': `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'a header without a colon': `${HEAD}X-Forwarded-For\r\n\r\n`,
  'an authority that differs from its Host': 'GET http://other/first HTTP/1.1\r\nHost: x\r\n\r\n',
  'a PROXY protocol line': 'PROXY TCP4 192.0.2.9 127.0.0.1 1 2\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'headers beyond the buffer': `${HEAD}x: ${'a'.repeat(40_000)}\r\n\r\n`,
};

const responses = (text: string) => text.match(/HTTP\/1\.[01] \d{3}/g) ?? [];

describe('a malformed request behind the balancer', () => {
  for (const [name, request] of Object.entries(MALFORMED)) {
    it(`gets one response, and no part of it or of later requests reaches a server: ${name}`, async () => {
      const server = await anAgreeableServer();
      const { raw, output } = await startBalancer([server.address, server.address]);
      expect(responses(await raw(request + BEHIND))).toEqual(['HTTP/1.1 400']);
      expect(server.received()).toBe('');
      await expect.poll(output).toContain('"end":"PR"');
    });
  }

  it('ends the connection after an earlier request, which is served and logged', async () => {
    const server = await anAgreeableServer();
    const { raw, output } = await startBalancer([server.address, server.address]);
    const text = await raw(`GET /served HTTP/1.1\r\nHost: x\r\n\r\n${MALFORMED['two Host headers']}${BEHIND}`);
    expect(responses(text)[0]).toBe('HTTP/1.1 200');
    expect(server.received()).toMatch(/^GET \/served /);
    expect(server.received()).not.toMatch(/first|behind/);
    await expect.poll(output).toContain('"end":"PR"');
    expect(output()).toContain('"path":"\\/served","status":"200"');
  });

  it('gets no response when it does not arrive completely in time', async () => {
    const server = await anAgreeableServer();
    const { raw } = await startBalancer([server.address, server.address]);
    expect(await raw('GET /first HTTP/1.1\r\nHost:')).toBe('');
    expect(server.received()).toBe('');
  });

  it('gets a configured file with a complete problem, in the wording of the API', async () => {
    const [head = '', body = ''] = readFileSync(ERROR_FILE, 'utf8').split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
    expect(head).toContain(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`);
    expect(head).toMatch(/\r\nConnection: close$/);
    const { serve } = await aDatabase();
    const page = await fetch(`${(await serve()).url}/problems/malformed-request`, {
      headers: { accept: 'application/json' },
    });
    const words: unknown = await page.json();
    const own: unknown = JSON.parse(body);
    // A relative reference: a static file contains no public address.
    expect(own).toMatchObject({ type: '/problems/malformed-request', status: 400, code: 'malformed_request' });
    expect(words).toMatchObject({ status: 400, code: 'malformed_request' });
    expect(pick(own, 'title')).toBe(pick(words, 'title'));
  });
});

describe('a key guess after a malformed request', () => {
  it('does not bypass the rate limit of its address', async () => {
    const { serve } = await aDatabase();
    const server = await serve({ RATE_LIMIT_ANONYMOUS: '1' });
    const { raw, url } = await startBalancer([addressOf(server), addressOf(server)]);
    expect(responses(await raw(MALFORMED['two Host headers'] + BEHIND))).toEqual(['HTTP/1.1 400']);
    // Nothing was counted, so the single request of the limit remains.
    expect((await fetch(`${url}/v1/orders`)).status).toBe(401);
    expect((await fetch(`${url}/v1/orders`)).status).toBe(429);
  });
});

function pick(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : value;
}
