import { once } from 'node:events';
import { errAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aDomainOver } from '../fixtures/a-domain.ts';
import { anApi } from '../fixtures/an-api.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { exchange, head, KEPT, open, placing, sendBytes, statuses } from '../fixtures/raw-http.ts';

const GET = 'GET /v1/orders HTTP/1.1';

describe('a connection', () => {
  it('stays open after a rejected body, and has no second response if the body turns out to be malformed', async () => {
    const api = await anApi();
    const key = { 'X-API-Key': api.keys.issue() };
    const untyped = head('POST /v1/orders HTTP/1.1', { ...KEPT, ...key, 'Transfer-Encoding': 'chunked' });
    expect(statuses(await exchange(api, `${untyped}2\r\n{}\r\n0\r\n\r\n${head(GET, key)}`))).toEqual(['415', '200']);
    const { socket, received } = await open(api);
    const typed = { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' };
    socket.write(head('POST /v1/orders HTTP/1.1', { ...KEPT, ...key, ...typed }));
    await once(socket, 'data');
    socket.write('no chunk\r\n');
    await once(socket, 'close');
    expect(statuses(received())).toEqual(['415']);
  });

  it.each(['websocket', 'h2c', 'HTTP/3.0'])('ignores a request to upgrade the protocol to %s', async (upgrade) => {
    const api = await anApi();
    const key = { 'X-API-Key': api.keys.issue() };
    const { socket, received } = await open(api);
    socket.write(head(GET, { ...key, Connection: 'Upgrade', Upgrade: upgrade }));
    await once(socket, 'data');
    socket.write(head(GET, key));
    await once(socket, 'close');
    expect(statuses(received())).toEqual(['200', '200']);
  });
});

describe('a tunnel', () => {
  const CONNECT = head('CONNECT orders.test:443 HTTP/1.1');

  it('is rejected as a method that no path allows', async () => {
    const response = await sendBytes(await anApi(), CONNECT);
    expect(response).toMatchObject({ status: 405, headers: { allow: '' }, body: { code: 'method_not_allowed' } });
  });

  it('is rejected if the client resets the connection, without an error in the process', async () => {
    const api = await anApi();
    for (let time = 0; time < 20; time += 1) {
      const { socket } = await open(api);
      socket.write(CONNECT);
      await once(socket, 'data');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    // An unhandled error event in this process fails the test run.
    expect((await api.acme.get('/v1/orders')).status).toBe(200);
  });

  it('is left to another plugin that handles it', async () => {
    const api = await anApi();
    api.app.server.on('connect', (_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(statuses(await exchange(api, CONNECT))).toEqual(['200']);
  });
});

describe('an incomplete body', () => {
  it('is not logged as a failure of the server', async () => {
    const lines: string[] = [];
    const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } };
    const api = await anApi({ server: { logger } });
    const { socket } = await open(api);
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
  it.each(['FST_ERR_CTP_BODY_TOO_LARGE', 'ECONNRESET'])('is a 500 if a bug throws it: %s', async (code) => {
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
    const { socket, received } = await open(api);
    const read = new Promise((resolve) => api.app.server.once('request', (request) => request.once('resume', resolve)));
    const bytes = placing(api.keys.issue());
    socket.write(bytes.slice(0, -5));
    await read;
    const closed = api.app.close();
    socket.write(bytes.slice(-5) + head(GET, { 'X-API-Key': api.keys.issue(), ...KEPT }));
    await once(socket, 'close');
    await closed;
    expect(statuses(received())).toEqual(['201', '200']);
    expect(received().match(/\r\nconnection: close\r\n/gi)).toHaveLength(1);
  });
});
