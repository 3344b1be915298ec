import { once } from 'node:events';
import { connect } from 'node:net';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aDomainOver } from '../fixtures/a-domain.ts';
import { anApi } from '../fixtures/an-api.ts';
import { at } from '../fixtures/json.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { exchange, head, portOf, sendBytes } from '../fixtures/raw-http.ts';

const GET = 'GET /v1/orders HTTP/1.1';
const KEPT = { Connection: 'keep-alive' };

/** Returns the statuses of all received responses in order. */
const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)].map(([, status]) => status);

/** Returns a request that places an order, as text. */
function placing(key: string, headers: Readonly<Record<string, string>> = {}): string {
  const body = JSON.stringify(aNewOrder());
  const own = { 'X-API-Key': key, 'Content-Type': 'application/json', 'Content-Length': `${body.length}` };
  return head('POST /v1/orders HTTP/1.1', { ...own, ...headers }) + body;
}

describe('pipelined requests', () => {
  it('have responses in the same order', async () => {
    const api = await anApi();
    const key = { 'X-API-Key': api.keys.issue() };
    const bytes = head('GET /v1/nothing HTTP/1.1', KEPT) + placing(key['X-API-Key'], KEPT) + head(GET, key);
    const received = await exchange(api, bytes);
    expect(statuses(received)).toEqual(['404', '201', '200']);
  });

  it('have responses despite malformed bytes after them', async () => {
    const api = await anApi();
    const key = api.keys.issue();
    const received = await exchange(api, `${placing(key, KEPT)}${placing(key, KEPT)}nonsense\r\n\r\n`);
    expect(statuses(received)).toEqual(['201', '201', '400']);
    expect(at((await api.acme.get('/v1/orders')).body, 'data')).toHaveLength(2);
  });

  it('have one response each, even if the body of the last is malformed', async () => {
    const api = await anApi();
    const headers = { ...KEPT, 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' };
    const refused = head('POST /v1/orders HTTP/1.1', { ...headers, 'X-API-Key': api.keys.issue() });
    const socket = connect({ host: '127.0.0.1', port: await portOf(api.app) });
    const received: string[] = [];
    socket.setEncoding('latin1').on('data', (text: string) => received.push(text));
    const closed = once(socket, 'close');
    socket.write(refused);
    await once(socket, 'data');
    socket.write('no chunk\r\n');
    await closed;
    expect(statuses(received.join(''))).toEqual(['415']);
  });
});

describe('a connection', () => {
  it('stays open after a rejected body', async () => {
    const api = await anApi();
    const key = { 'X-API-Key': api.keys.issue() };
    const untyped = head('POST /v1/orders HTTP/1.1', { ...KEPT, ...key, 'Transfer-Encoding': 'chunked' });
    expect(statuses(await exchange(api, `${untyped}2\r\n{}\r\n0\r\n\r\n${head(GET, key)}`))).toEqual(['415', '200']);
  });

  it.each([
    ['chunks in HTTP/1.0', '1.0', 'chunked'],
    ['a transfer coding without an end', '1.1', 'gzip'],
    ['chunks of another transfer coding', '1.1', 'gzip, chunked'],
  ])('closes after a body that cannot be read: %s', async (_, version, coding) => {
    const api = await anApi();
    const key = { 'X-API-Key': api.keys.issue() };
    const untold = head(`POST /v1/orders HTTP/${version}`, { ...KEPT, ...key, 'Transfer-Encoding': coding });
    const received = await exchange(api, `${untold}0\r\n\r\n${head(GET, key)}`);
    expect(statuses(received)).toEqual(['400']);
    expect(received).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('ignores a request to upgrade the protocol', async () => {
    const api = await anApi();
    const key = { 'X-API-Key': api.keys.issue() };
    for (const upgrade of ['websocket', 'h2c', 'HTTP/3.0']) {
      const socket = connect({ host: '127.0.0.1', port: await portOf(api.app) });
      const received: string[] = [];
      socket.setEncoding('latin1').on('data', (text: string) => received.push(text));
      const closed = once(socket, 'close');
      socket.write(head(GET, { ...key, Connection: 'Upgrade', Upgrade: upgrade }));
      await once(socket, 'data');
      socket.write(head(GET, key));
      await closed;
      expect(statuses(received.join(''))).toEqual(['200', '200']);
    }
  });

  it('supports HTTP/1.0', async () => {
    const api = await anApi();
    const response = await sendBytes(api, `GET /v1/orders HTTP/1.0\r\nX-API-Key: ${api.keys.issue()}\r\n\r\n`);
    expect(response).toMatchObject({ status: 200, headers: { connection: 'close' } });
  });

  it('receives 100 Continue for an expectation', async () => {
    const api = await anApi();
    const received = await exchange(api, placing(api.keys.issue(), { Expect: '100-continue' }));
    expect(statuses(received)).toEqual(['100', '201']);
  });
});

describe('a tunnel', () => {
  it('is rejected as a method that no path allows', async () => {
    const response = await sendBytes(await anApi(), head('CONNECT orders.test:443 HTTP/1.1'));
    expect(response).toMatchObject({ status: 405, headers: { allow: '' }, body: { code: 'method_not_allowed' } });
  });

  it('is rejected if the client resets the connection, without an error in the process', async () => {
    const { acme, app } = await anApi();
    const port = await portOf(app);
    for (let time = 0; time < 20; time += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.write(head('CONNECT orders.test:443 HTTP/1.1'));
      await once(socket, 'data');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    // An unhandled error event in this process fails the test run.
    expect((await acme.get('/v1/orders')).status).toBe(200);
  });

  it('is left to another plugin that handles it', async () => {
    const api = await anApi();
    api.app.server.on('connect', (_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(statuses(await exchange(api, head('CONNECT orders.test:443 HTTP/1.1')))).toEqual(['200']);
  });
});

describe('an incomplete body', () => {
  it('is not logged as a failure of the server', async () => {
    const lines: string[] = [];
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } };
    const api = await anApi({ server: { logger } });
    const socket = connect({ host: '127.0.0.1', port: await portOf(api.app) });
    const over = new Promise((resolve) => {
      api.app.server.once('request', (request) => {
        request.once('resume', () => socket.destroy()).once('close', resolve);
      });
    });
    socket.write(placing(api.keys.issue(), { 'Content-Length': '1000' }));
    await over;
    expect(lines).toEqual([]);
  });
});

describe('an error with a code of Fastify', () => {
  it.each([
    'FST_ERR_CTP_BODY_TOO_LARGE',
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    'FST_ERR_BAD_URL',
    'FST_ERR_NOT_FOUND',
    'FST_ERR_VALIDATION',
    'ECONNRESET',
  ])('is a 500 if a bug throws it: %s', async (code) => {
    const bug = () => {
      throw Object.assign(new Error('bug'), { code, statusCode: 400 });
    };
    const inHandler = await anApi(aDomainOver({ load: bug, commit: bug }));
    const before = await anApi({ authentication: { authenticate: bug, securitySchemes: {} } });
    const failed = { status: 500, body: { code: 'internal_error', status: 500 } };
    expect(await inHandler.acme.get(`/v1/orders/${NO_ORDER}`)).toMatchObject(failed);
    expect(await inHandler.acme.post('/v1/orders', aNewOrder())).toMatchObject(failed);
    expect(await before.acme.post('/v1/orders', aNewOrder())).toMatchObject(failed);
  });

  it('is not an outage of the store', async () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const { acme } = await anApi(aDomainOver({ load: () => errAsync({ type: 'unavailable', cause }) }));
    expect(await acme.get(`/v1/orders/${NO_ORDER}`)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });
});

describe('a closing server', () => {
  it('responds to the current and the next request of a connection, and closes it', async () => {
    const api = await anApi();
    const socket = connect({ host: '127.0.0.1', port: await portOf(api.app) });
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    const read = new Promise((resolve) => api.app.server.once('request', (request) => request.once('resume', resolve)));
    const bytes = placing(api.keys.issue(), KEPT);
    socket.write(bytes.slice(0, -5));
    await read;
    const closed = api.app.close();
    socket.write(bytes.slice(-5) + head(GET, { 'X-API-Key': api.keys.issue(), ...KEPT }));
    await once(socket, 'close');
    await closed;
    expect(statuses(received)).toEqual(['201', '200']);
    expect(received.match(/\r\nconnection: close\r\n/gi)).toHaveLength(1);
  });
});
