import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTILE_FRAMES } from '../../../../packages/http-adapter/test/hostile/hostile-bodies.ts';
import { HOSTILE_HEADERS, HOSTILE_LINES } from '../../../../packages/http-adapter/test/hostile/hostile-heads.ts';
import { AN_ORDER } from '../programs/running-server.ts';
import { addressOf, aDatabase, anAgreeableServer } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

const ERROR_FILE = join(import.meta.dirname, '../../deploy/haproxy/errors/400.http');

const FORGED = 'X-Forwarded-For: 192.0.2.9\r\nForwarded: for=192.0.2.9\r\n';

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** Requests with a forged address behind another one. The balancer closes the connection after the last one. */
const BEHIND = `${get('/behind', `${FORGED}X-API-Key: guess\r\n`)}${get('/last', `${FORGED}Connection: close\r\n`)}`;

const TWO_HOSTS = get('/first', 'Host: y\r\n');

const upgrade = (protocol: string, header: string) =>
  get('/first', `Upgrade: ${protocol}\r\n${header}\r\nConnection: Upgrade, ${header.split(':')[0]}\r\n`);

/** What only a proxy may parse in another way than a server, or what requests the end of HTTP on the connection. */
const FOR_PROXIES = [
  ['an authority that differs from its Host', get('http://other/first')],
  ['an absolute form', get('http://x/first')],
  ['an address that is a hop-by-hop header', get('/first', 'Connection: X-Forwarded-For\r\n')],
  ['an upgrade to h2c', upgrade('h2c', 'HTTP2-Settings: AAMAAABk')],
  ['an upgrade to a WebSocket', upgrade('websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==')],
] as const;

/** What the servers reject, each with a forged address. Bodies above their limit are another thing. */
const FOR_SERVERS = [...HOSTILE_LINES, ...HOSTILE_HEADERS, ...HOSTILE_FRAMES]
  .filter(([name]) => !name.endsWith('above the limit'))
  .map(([name, , , bytes]) => [name, bytes('guess').replace('Connection: close\r\n', '')] as const);

/** What the balancer rejects itself. */
const REJECTED = new Set(
  `an authority that differs from its Host|text that is not HTTP|a line of the PROXY protocol|the preface of HTTP/2|HTTP/0.9
CONNECT to a path|a target without a slash|a target with a fragment|a tab in the target|non-ASCII bytes in the target
an endless target|two Hosts|a second Host after a thousand headers|a header without a colon|a space before the colon
a space in the name of a header|a carriage return in a header|endless headers|two lengths|a length above the largest number
a length and chunks|gzip, chunked|chunked, gzip|chunked, chunked|xchunked||gzip\r\nTransfer-Encoding: chunked
chunked\r\nTransfer-Encoding: chunked|a chunk whose length is not a number|a chunk shorter than its length
a chunk with an endless extension|endless trailers|a broken chunk after a valid one`.split(/(?<!\r)[|\n]/),
);

/** Requests after whose response the connection is closed. */
const CLOSING = [
  'GET /nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'GET /nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n',
  'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  get('/nothing', 'Connection: close\r\n'),
  TWO_HOSTS,
];

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => status);

/** Sends bytes through the balancer to a server that accepts everything. Returns what the client got, and what the server did. */
async function anExchange() {
  const server = await anAgreeableServer();
  const { raw, output } = await startBalancer([server.address, server.address]);
  const exchange = async (bytes: string) => {
    const before = server.received().length;
    const text = await raw(bytes);
    return { statuses: statusesOf(text), received: server.received().slice(before) };
  };
  return { exchange, output, lines: () => output().match(/^\{"time".*$/gm) ?? [] };
}

describe('a hostile request behind the balancer', () => {
  it('opens no tunnel, keeps no forged address and is logged, or reaches no server with all that follows', async () => {
    const { exchange, lines } = await anExchange();
    for (const [name, bytes] of [...FOR_SERVERS, ...FOR_PROXIES]) {
      const logged = lines().length;
      const { statuses, received } = await exchange(bytes.replace('\r\n', `\r\n${FORGED}`) + BEHIND);
      const heads = received.match(/[A-Z]+ \S+ HTTP\/1\.[01]\r\n/g) ?? [];
      expect({
        name,
        addresses: received.match(/^x-forwarded-for: .*$/gim) ?? [],
        kept: received.match(/^(?:forwarded|upgrade):|^CONNECT /im),
        tunnel: statuses.includes('101'),
      }).toEqual({ name, addresses: heads.map(() => 'x-forwarded-for: 127.0.0.1'), kept: null, tunnel: false });
      await expect.poll(() => [name, lines().length - logged]).toEqual([name, statuses.length]);
      const isRejected = received === '' && statuses.length === 1 && lines().at(-1)?.includes('"end":"PR"');
      expect([name, isRejected]).toEqual([name, REJECTED.has(name)]);
    }
  });

  it('ends the connection after an earlier request, which is served and logged', async () => {
    const { exchange, output } = await anExchange();
    const { statuses, received } = await exchange(get('/served') + TWO_HOSTS + BEHIND);
    expect(statuses[0]).toBe('200');
    expect(received).toMatch(/^GET \/served /);
    expect(received).not.toMatch(/first|behind/);
    await expect.poll(output).toContain('"end":"PR"');
    expect(output()).toContain('"path":"\\/served","status":"200"');
  });

  it('gets no response when it does not arrive completely in time', async () => {
    const { exchange } = await anExchange();
    expect(await exchange('GET /first HTTP/1.1\r\nHost:')).toEqual({ statuses: [], received: '' });
  });

  it('lets no write be executed that is pipelined after a response that closes the connection', async () => {
    const { apiKey, serve } = await aDatabase();
    const { url, raw } = await startBalancer([addressOf(await serve()), addressOf(await serve())]);
    const write =
      `POST /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(AN_ORDER)}\r\n\r\n${AN_ORDER}`;
    for (const request of CLOSING)
      expect([request, statusesOf(await raw(request + write))]).toEqual([request, [expect.stringMatching(/^4/)]]);
    const listed = await fetch(`${url}/v1/orders`, { headers: { 'x-api-key': apiKey } });
    expect(await listed.json()).toMatchObject({ data: [] });
  });
});

describe('a malformed request', () => {
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

  it('lets no guess of a key behind it bypass the rate limit of its address', async () => {
    const { serve } = await aDatabase();
    const server = await serve({ RATE_LIMIT_ANONYMOUS: '1' });
    const { raw, url } = await startBalancer([addressOf(server), addressOf(server)]);
    expect(statusesOf(await raw(TWO_HOSTS + BEHIND))).toEqual(['400']);
    // Nothing was counted, so the single request of the limit remains.
    expect((await fetch(`${url}/v1/orders`)).status).toBe(401);
    expect((await fetch(`${url}/v1/orders`)).status).toBe(429);
  });
});

function pick(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : value;
}
