import { errAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { aDomainOver, aThrowingStore } from '../fixtures/a-domain.ts';
import { ordersServerOptions } from '@orders/http-adapter';
import { anApi, type Wanted } from '../fixtures/an-api.ts';
import { at, textAt } from '../fixtures/json.ts';
import { faultsIn } from './log-rules.ts';
import { head, open, sendBytes } from '../fixtures/raw-http.ts';

const ORDER = '019b0000-0000-7000-8000-000000000001';
const ORDER_PATH = `/v1/orders/${ORDER}`;

/** Creates an API, and collects the log lines of its server. */
async function aLoggedApi(wanted: Wanted = {}) {
  const texts: string[] = [];
  const logger = { level: 'trace', stream: { write: (line: string) => void texts.push(line) } };
  const api = await anApi({ ...wanted, server: { ...wanted.server, logger } });
  const lines = (): readonly unknown[] => texts.map((text): unknown => JSON.parse(text));
  return { ...api, texts, lines };
}

describe('the log', () => {
  it('has the credential of a request, and the network of its client if that is wanted', async () => {
    const server = ordersServerOptions('http://127.0.0.1', { logsNetworks: true });
    const { acme, lines } = await aLoggedApi({ server });
    await acme.get(ORDER_PATH);
    expect(lines()).toMatchObject([
      { actor: expect.stringMatching(/^api_key:\w+$/) as unknown, network: '127.0.0.0/24' },
    ]);
  });

  it('has one line for each request, with its owner, route and outcome', async () => {
    const { acme, lines } = await aLoggedApi();
    const { id, url } = await acme.place();
    await acme.get(`${url}?page=1`, { 'x-request-id': 'mine' });
    expect(lines()).toMatchObject([
      { msg: 'request', method: 'POST', route: '/v1/orders', id, status: 201, owner: 'acme' },
      { msg: 'request', method: 'GET', route: '/v1/orders/:id', id, status: 400, owner: 'acme', request_id: 'mine' },
    ]);
    expect(at(lines()[0], 'duration_ms')).toBeTypeOf('number');
    expect(textAt(lines()[0], 'request_id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has the id of the resource as it is stored, whatever its case in the path', async () => {
    const { acme, lines } = await aLoggedApi();
    const { id, url } = await acme.place();
    const paths = ['', '/items', '/versions', '/versions/1'].map((path) => url.replace(id, id.toUpperCase()) + path);
    for (const path of paths) expect((await acme.get(path)).status).toBe(200);
    expect(lines().map((line) => at(line, 'id'))).toEqual([id, ...paths.map(() => id)]);
  });

  it('has the request id that the client received', async () => {
    const { client, lines } = await aLoggedApi();
    const { headers } = await client().get(ORDER_PATH);
    expect(lines()).toMatchObject([{ request_id: headers['x-request-id'], status: 401, route: '/v1/orders/:id' }]);
    expect(lines()[0]).not.toHaveProperty('owner');
  });

  it('omits the text of unknown paths', async () => {
    const { client, lines, texts } = await aLoggedApi();
    await client().get('/v1/customers/ada@example.com/orders');
    await client().get('/ada@example.com');
    expect(lines()).toMatchObject([
      { route: null, status: 404 },
      { route: null, status: 404 },
    ]);
    expect(texts.join('')).not.toMatch(/ada(@|%40)|example\.com/i);
  });

  it('has malformed requests with the id that the client received', async () => {
    const api = await aLoggedApi();
    const { body } = await sendBytes(api, 'nonsense\r\n\r\n');
    expect(api.lines().at(-1)).toMatchObject({
      msg: 'malformed request',
      status: 400,
      request_id: at(body, 'request_id'),
    });
  });

  it('has a line for a request whose client disconnected before the response', async () => {
    const load = vi.fn<() => ResultAsync<never, never>>(() => new ResultAsync(new Promise(() => undefined)));
    const { app, keys, lines } = await aLoggedApi(aDomainOver({ load }));
    const { socket } = await open({ app });
    socket.write(head(`GET ${ORDER_PATH} HTTP/1.1`, { 'X-API-Key': keys.issue() }));
    await vi.waitFor(() => expect(load).toHaveBeenCalled());
    socket.destroy();
    const broken = { msg: 'request aborted', route: '/v1/orders/:id', id: ORDER, status: null };
    await vi.waitFor(() => expect(lines()).toContainEqual(expect.objectContaining(broken)));
  });

  it('has the cause of a 503, which the response omits', async () => {
    const cause = new Error('connection to 10.0.0.7 lost');
    const { acme, lines } = await aLoggedApi(aDomainOver({ load: () => errAsync({ type: 'unavailable', cause }) }));
    const response = await acme.get(ORDER_PATH);
    expect(response.status).toBe(503);
    expect(response.text).not.toContain('10.0.0.7');
    expect(lines()).toMatchObject([
      { level: 50, msg: 'unavailable', err: { message: 'connection to 10.0.0.7 lost' } },
      { level: 30, msg: 'request', status: 503 },
    ]);
  });

  it('contains nothing else of a request', async () => {
    const { acme, client, keys, texts } = await aLoggedApi();
    const personal = 'Zoe.Zwölf';
    const everywhere = {
      reference: personal,
      note: personal,
      metadata: { [personal]: personal },
      items: [{ sku: personal, name: personal, quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }],
    };
    const header = 'Zoe.Zwoelf';
    const { url } = await acme.place(everywhere, { 'idempotency-key': header });
    await acme.patch(url, { ...everywhere, unknown: personal }, { 'if-match': `"${header}"` });
    await acme.post(`${url}/cancel`, { reason: personal });
    await acme.get(`/v1/orders?reference=${header}&${header}=1&after=${header}`);
    await acme.get(`/v1/orders/${header}`, { accept: header, 'api-version': header, 'user-agent': header });
    await acme.send({
      method: 'POST',
      url: '/v1/orders',
      headers: { 'content-type': 'application/json' },
      payload: `{"${header}`,
    });
    const email = { email: 'zoe.zwoelf@example.com', name: personal };
    await acme.post('/v1/customers', email);
    await acme.post('/v1/customers', email);
    await acme.post('/v1/customer_searches', { email: email.email });
    await client(`${keys.issue()}${header}`).get('/v1/orders');
    await client().get('/v1/orders', { authorization: `Bearer ${header}`, cookie: `session=${header}` });
    expect(texts.join('')).not.toMatch(/zoe|zw(ö|oe)lf/i);
    expect(texts).toHaveLength(11);
    expect(texts.flatMap(faultsIn)).toEqual([]);
  });

  it('has the location of an error, without data that a database quotes', async () => {
    const failed = Object.assign(new Error('new row violates check constraint "orders_total"'), {
      code: '23514',
      constraint: 'orders_total',
      detail: 'Failing row contains (acme, ada@example.com).',
      where: 'unnamed portal parameter $1 = ada@example.com',
      parameters: ['ada@example.com'],
    });
    const unreadable = Object.assign(new Error('invalid input syntax for type uuid: "ada@example.com"'), {
      code: '22P02',
    });
    const { acme, lines, texts } = await aLoggedApi(
      aThrowingStore(new Error('a write failed', { cause: Object.assign(failed, { cause: unreadable }) })),
    );
    expect((await acme.get(ORDER_PATH)).status).toBe(500);
    expect(at(lines()[0], 'msg')).toBe('the request failed');
    const reasons = [
      'a write failed',
      'new row violates check constraint "orders_total"',
      'invalid input syntax for type uuid: (redacted)',
    ];
    for (const reason of reasons) expect(textAt(lines()[0], 'err', 'stack')).toContain(reason);
    expect(textAt(lines()[0], 'err', 'stack')).toContain('log.test.ts');
    expect(texts.join('')).not.toContain('ada@example.com');
  });
});
