import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ordersServerFactory } from '@orders/http-adapter';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aHost } from '../host/a-host.ts';
import { anApi, type Api } from '../fixtures/an-api.ts';
import { connectByTls, TLS_SERVER } from '../fixtures/pre-shared-key.ts';
import { exchange, head, KEPT, open, statuses } from '../fixtures/raw-http.ts';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const LONG = { 'Content-Length': `${20 * MIB}` };
const CHUNK = `${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`;

/** Opens a connection whose client can still send when the server has ended it. */
const openHalf = async (api: Pick<Api, 'app'>) =>
  (await open(api, (port) => connect({ host: '127.0.0.1', port, allowHalfOpen: true }))).socket;

/** Returns the next bytes that the server sends. */
const next = (socket: Socket) =>
  new Promise<string>((resolve) => socket.once('data', (chunk: Buffer | string) => resolve(String(chunk))));

/** Sends everything before it reads anything, and returns all received bytes. */
async function sendFirst(socket: Socket, ...parts: readonly string[]): Promise<string> {
  let received = '';
  socket.pause().setEncoding('latin1');
  for (const part of parts) {
    await new Promise<void>((resolve, reject) => {
      socket.write(part, 'latin1', (error) => (error ? reject(error) : resolve()));
    });
  }
  socket.on('data', (text: string) => (received += text)).resume();
  await once(socket, 'end');
  socket.end();
  return received;
}

/** Returns the head of a request with a body to place an order, with the key of a client. */
const posting = (api: Pick<Api, 'keys'>, headers: Readonly<Record<string, string>>) =>
  head('POST /v1/orders HTTP/1.1', { ...KEPT, 'X-API-Key': api.keys.issue(), ...JSON_TYPE, ...headers });

const body = 'x'.repeat(MIB);
const bodies = Array.from({ length: 20 }, () => body);
const chunks = Array.from({ length: 20 }, () => CHUNK);

describe('a client that sends a long body before it reads', () => {
  it.each<[name: string, status: string, first: (api: Api) => string, rest: readonly string[]]>([
    ['a body over the limit', '413', (api) => posting(api, LONG), bodies],
    ['chunks over the limit', '413', (api) => posting(api, CHUNKED), chunks],
    ['a wrong media type', '415', (api) => posting(api, { ...LONG, 'Content-Type': 'text/plain' }), bodies],
    ['no credentials', '401', () => head('POST /v1/orders HTTP/1.1', { ...KEPT, ...JSON_TYPE, ...LONG }), bodies],
    ['a path that cannot be parsed', '400', () => head('POST /%zz HTTP/1.1', { ...KEPT, ...LONG }), bodies],
    ['a request without a use for a body', '200', () => head('GET /livez HTTP/1.1', { ...KEPT, ...LONG }), bodies],
    ['malformed chunks', '400', (api) => posting(api, CHUNKED), ['no chunk\r\n', ...bodies]],
    ['a tunnel', '405', () => head('CONNECT orders.test:443 HTTP/1.1', LONG), bodies],
    ['requests after the last response', '404', () => head('GET /v1/nothing HTTP/1.1'), bodies],
  ])('receives the response to %s', async (_, status, first, rest) => {
    const api = await anApi();
    const received = await sendFirst(await openHalf(api), first(api), ...rest);
    expect(statuses(received)).toEqual([status]);
  });

  it('receives the reply of a hook of the host application', async () => {
    const refuse = (app: FastifyInstance) => app.addHook('onRequest', (_request, reply) => reply.code(403).send('No.'));
    const host = await aHost(refuse, {}, { serverFactory: ordersServerFactory() });
    for (const [sent, rest] of [[LONG, bodies] as const, [CHUNKED, chunks] as const]) {
      const first = head('POST /shop/v1/orders HTTP/1.1', { ...KEPT, ...sent });
      expect(await sendFirst(await openHalf(host), first, ...rest)).toMatch(/^HTTP\/1\.1 403 .*No\.$/s);
    }
  });

  it('receives the response over TLS', async () => {
    const api = await anApi({ https: TLS_SERVER });
    for (const [sent, rest] of [[LONG, bodies] as const, [CHUNKED, chunks] as const])
      expect(statuses(await sendFirst((await open(api, connectByTls)).socket, posting(api, sent), ...rest))).toEqual([
        '413',
      ]);
  });

  it('does not delay another client', async () => {
    const api = await anApi();
    const socket = await openHalf(api);
    socket.write(posting(api, LONG));
    await next(socket);
    for (const part of bodies) {
      socket.write(part);
      expect((await api.acme.get('/v1/nothing')).status).toBe(404);
    }
    socket.end();
    await once(socket, 'close');
  });
});

describe('a body that is sent after its early response', () => {
  it.each([
    ['read to its end if it is short', 'keep-alive', { 'Content-Length': '9' }, 'too short', ['404']],
    ['read to its end if it is short, in chunks', 'keep-alive', CHUNKED, '2\r\n{}\r\n0\r\n\r\n', ['404']],
    ['discarded with the connection if it is long', 'close', LONG, body, []],
    ['discarded with the connection if it is long, in chunks', 'keep-alive', CHUNKED, `${CHUNK}0\r\n\r\n`, []],
  ])('is %s', async (_, connection, sent, rest, later) => {
    const socket = await openHalf(await anApi());
    socket.write(head('POST /v1/orders HTTP/1.1', { ...KEPT, ...JSON_TYPE, ...sent }));
    expect(/\r\nconnection: (.*)\r\n/i.exec(await next(socket))?.[1]).toBe(connection);
    expect(statuses(await sendFirst(socket, rest, head('GET /v1/nothing HTTP/1.1')))).toEqual(later);
  });
});

describe('a client that waits for 100 Continue', () => {
  const expecting = { ...KEPT, ...JSON_TYPE, 'Content-Length': '2', Expect: '100-continue' };

  it('receives an early response instead, which ends the connection', async () => {
    const received = await sendFirst(await openHalf(await anApi()), head('POST /v1/orders HTTP/1.1', expecting));
    expect(received).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/is);
  });

  it('receives it before any response to a request without a body', async () => {
    const empty = { 'Content-Length': '0', Expect: '100-continue' };
    for (const line of ['POST /v1/orders HTTP/1.1', 'GET /v1/orders HTTP/1.1', 'GET /docs HTTP/1.1'])
      expect(statuses(await exchange(await anApi(), head(line, empty)))).toEqual([
        '100',
        line.includes('docs') ? '200' : '401',
      ]);
  });

  it('receives it when a route of the host application iterates over the body', async () => {
    const { app } = await anApi();
    app.addContentTypeParser('text/plain', async (_request: unknown, payload: AsyncIterable<Buffer>) => {
      let bytes = 0;
      for await (const chunk of payload) bytes += chunk.length;
      return bytes;
    });
    app.post('/uploads', (request) => ({ bytes: request.body }));
    const socket = await openHalf({ app });
    socket.write(head('POST /uploads HTTP/1.1', { ...expecting, 'Content-Type': 'text/plain' }));
    const first = await next(socket);
    expect(statuses(first)).toEqual(['100']);
    socket.write('{}');
    expect(await next(socket)).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: keep-alive\r\n.*\{"bytes":2\}$/is);
  });
});
