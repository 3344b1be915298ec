import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { ordersHttp, ordersServerFactory } from '@orders/http-adapter';
import { fastify, type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import { aHost, type HostServer, securitySchemes } from './a-host.ts';
import { connectByTls, TLS_SERVER } from '../fixtures/pre-shared-key.ts';
import { exchange, head, KEPT, portOf, statuses } from '../fixtures/raw-http.ts';

/** The ways in which a host creates its server. */
const SERVERS: readonly [name: string, server: HostServer][] = [
  ['a server of Fastify', {}],
  ['a server of Fastify with TLS', { https: TLS_SERVER }],
  [
    'a server of its own',
    { serverFactory: (handler) => createServer((request, response) => handler(request, response)) },
  ],
  ['a server of ordersServerFactory', { serverFactory: ordersServerFactory() }],
  ['a server of ordersServerFactory with TLS', { serverFactory: ordersServerFactory(), https: TLS_SERVER }],
];

/** Returns all listeners of a server, and its settings for HTTP. */
const stateOf = ({ server }: { readonly server: Server & { requireHostHeader?: boolean } }) => ({
  listeners: new Map(server.eventNames().map((name) => [name, server.rawListeners(name)])),
  requireHostHeader: server.requireHostHeader,
  maxHeadersCount: server.maxHeadersCount,
  timeouts: [server.timeout, server.headersTimeout, server.requestTimeout, server.keepAliveTimeout],
});

/** Creates a host application that `listen` prepares, with two APIs. */
const aHostOfTwo = (server: HostServer, listen: (server: Server) => unknown = () => undefined) => {
  const prepare = async (app: FastifyInstance) => {
    listen(app.server);
    const authentication = { authenticate: () => null, securitySchemes };
    const publicBaseUrl = 'https://bakery.example/other';
    await app.register(ordersHttp, { prefix: '/other', domain: aDomain(), authentication, publicBaseUrl });
  };
  return aHost(prepare, {}, server);
};

/** Returns how to connect to a server. */
const wayTo = ({ https }: HostServer) => (https ? connectByTls : undefined);

it('a body that the host has read before is a fault of the host at once, and the log says why', async () => {
  const { app, lines } = await aHost(() => undefined);
  const mounted = createServer((request, response) => {
    request.resume().once('end', () => app.routing(request, response));
  });
  onTestFinished(() => void mounted.close());
  await once(mounted.listen(0, '127.0.0.1'), 'listening');
  const address = mounted.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const request = { method: 'POST', body: '{}', headers: { 'x-user': 'ada', 'content-type': 'application/json' } };
  const response = await fetch(`http://127.0.0.1:${port}/shop/v1/orders`, request);
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal_error' }]);
  expect(lines.join('')).toContain('mount the API before express.json()');
});

describe.each(SERVERS)('a host application with %s', (_, options) => {
  it('keeps its listeners and settings as they are', async () => {
    let before: ReturnType<typeof stateOf> | undefined;
    const { app, get } = await aHostOfTwo(options, (server) => (before = stateOf({ server })));
    expect(stateOf(app)).toEqual(before);
    await portOf(app);
    const listening = stateOf(app);
    await exchange({ app }, head('GET /shop/v1/orders HTTP/1.1', { 'X-User': 'ada' }), wayTo(options));
    await get('/shop/v1/orders');
    expect(stateOf(app)).toEqual(listening);
  });

  it('receives every request and connection before and beside the API, and its sockets are left as they are', async () => {
    const [connections, requests]: [unknown[], IncomingMessage[]] = [[], []];
    const { app } = await aHostOfTwo(options, (server) => {
      server.on(options.https ? 'secureConnection' : 'connection', (socket) => connections.push(socket));
      server.on('request', (request) => requests.push(request));
    });
    const user = { 'X-User': 'ada' };
    const received = await exchange(
      { app },
      head('GET /me HTTP/1.1', { ...KEPT, ...user }) +
        head('GET /shop/v1/orders HTTP/1.1', { ...KEPT, ...user }) +
        head('GET /other/v1/orders HTTP/1.1', { ...KEPT, ...user }) +
        head('GET /nothing HTTP/1.1'),
      wayTo(options),
    );
    expect(statuses(received)).toEqual(['200', '200', '401', '404']);
    expect(requests.map(({ url }) => url)).toEqual(['/me', '/shop/v1/orders', '/other/v1/orders', '/nothing']);
    expect(connections).toEqual([requests[0]?.socket]);
    expect(requests.some(({ socket }) => Object.hasOwn(socket, 'resume'))).toBe(false);
  });

  it('handles upgrades, tunnels, expectations and malformed HTTP itself', async () => {
    const errors: unknown[] = [];
    const { app } = await aHostOfTwo(options, (server) => {
      for (const event of ['upgrade', 'connect'] as const)
        server.on(event, (_request, socket) => socket.end(`HTTP/1.1 200 ${event}\r\n\r\n`));
      for (const event of ['checkContinue', 'checkExpectation'] as const)
        server.on(event, (_request, response) => response.writeHead(200, event).end());
      server.on('clientError', (error, socket) => {
        errors.push(error);
        socket.end('HTTP/1.1 400 clientError\r\n\r\n');
      });
    });
    const lineOf = async (bytes: string) => (await exchange({ app }, bytes, wayTo(options))).split('\r\n', 1)[0];
    const url = '/shop/v1/orders HTTP/1.1';
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket' };
    expect(await lineOf(head(`GET ${url}`, upgrade))).toBe('HTTP/1.1 200 upgrade');
    expect(await lineOf(head('CONNECT orders.test:443 HTTP/1.1'))).toBe('HTTP/1.1 200 connect');
    expect(await lineOf(head(`POST ${url}`, { Expect: '100-continue' }))).toBe('HTTP/1.1 200 checkContinue');
    expect(await lineOf(head(`GET ${url}`, { Expect: 'the best' }))).toBe('HTTP/1.1 200 checkExpectation');
    expect(await lineOf('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(errors).toHaveLength(1);
  });

  it('rejects what Node.js rejects, as before', async () => {
    const { app } = await aHostOfTwo(options);
    for (const url of ['/me', '/shop/v1/orders']) {
      const received = await exchange({ app }, `GET ${url} HTTP/1.1\r\nConnection: close\r\n\r\n`, wayTo(options));
      expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(received).not.toContain('problem');
    }
  });
});

describe('a server of ordersServerFactory', () => {
  it('has the settings of a server of Fastify', () => {
    const http = { headersTimeout: 70, connectionsCheckingInterval: 30, maxHeaderSize: 9000 };
    const own = { http, connectionTimeout: 10, keepAliveTimeout: 20, requestTimeout: 80, maxRequestsPerSocket: 5 };
    const settings = ({ server }: FastifyInstance) => {
      const { timeouts, maxHeadersCount, requireHostHeader } = stateOf({ server });
      return { timeouts, maxHeadersCount, requireHostHeader, maxRequestsPerSocket: server.maxRequestsPerSocket };
    };
    expect(settings(fastify({ ...own, serverFactory: ordersServerFactory() }))).toEqual(settings(fastify(own)));
  });

  it('is none of HTTP/2', () => {
    // @ts-expect-error -- the types of Fastify want another server for it, too
    expect(() => fastify({ http2: true, serverFactory: ordersServerFactory() })).toThrow(TypeError);
  });
});
