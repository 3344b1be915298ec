import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { bakery } from './bakery.ts';
import type { Sessions } from './sessions.ts';

const sessions: Sessions = new Map([
  ['ada', { branch: 'harbour', role: 'manager' }],
  ['ben', { branch: 'harbour', role: 'counter' }],
  ['cleo', { branch: 'station', role: 'manager' }],
]);
const log = new PassThrough();
const app = await bakery(sessions, log);
const logged = text(log);
after(() => app.close());

const rolls = {
  reference: 'B-1',
  items: [{ sku: 'ROLL', name: 'Roll', quantity: 12, unit_price: { amount: 55, currency: 'EUR' } }],
};

/** What a line of the log has that Fastify writes about a request. */
interface Line {
  readonly reqId: string;
  readonly req?: { readonly url: string };
}

function send(session: string | undefined, method: 'GET' | 'POST', url: string, payload?: object) {
  const headers = session === undefined ? {} : { 'x-session': session };
  return app.inject({ method, url, headers, ...(payload && { payload }) });
}

describe('the orders API below /shop', () => {
  it('knows people by their session, and each branch by its own orders', async () => {
    const placed = await send('ada', 'POST', '/shop/v1/orders', rolls);
    assert.equal(placed.statusCode, 201);
    const location = String(placed.headers.location);
    assert.match(location, /^\/shop\/v1\/orders\/[0-9a-f-]{36}$/);
    assert.partialDeepStrictEqual((await send('ada', 'GET', location)).json(), { reference: 'B-1' });
    assert.equal((await send('ben', 'GET', location)).statusCode, 200);
    assert.partialDeepStrictEqual((await send('cleo', 'GET', location)).json(), { code: 'order_not_found' });
    const refused = await send('ben', 'POST', '/shop/v1/orders', rolls);
    assert.equal(refused.statusCode, 403);
    assert.partialDeepStrictEqual(refused.json(), { required_scope: 'orders:write' });
  });

  it('rejects unknown sessions with 401', async () => {
    for (const session of [undefined, 'dora']) {
      const response = await send(session, 'GET', '/shop/v1/orders');
      assert.equal(response.statusCode, 401);
      assert.equal(response.headers['www-authenticate'], 'Session realm="bakery"');
      assert.partialDeepStrictEqual(response.json(), { code: 'unauthenticated' });
    }
  });

  it('reports what a hook of the bakery rejects as a problem', async () => {
    const headers = { 'x-session': 'ada', 'x-branch': 'closed' };
    const response = await app.inject({ url: '/shop/v1/orders', headers });
    assert.equal(response.statusCode, 403);
    assert.equal(response.headers['content-type'], 'application/problem+json');
    assert.partialDeepStrictEqual(response.json(), { code: 'http_403', detail: 'This branch is closed.' });
  });
});

describe('the rest of the app', () => {
  it('responds without the headers of the orders API', async () => {
    const hours = await send(undefined, 'GET', '/hours');
    assert.deepEqual(hours.json(), { opens: '06:30', closes: '18:00' });
    assert.deepEqual(Object.keys(hours.headers).toSorted(), ['connection', 'content-length', 'content-type', 'date']);
  });

  it('still has bodies parsed', async () => {
    assert.deepEqual((await send(undefined, 'POST', '/contact', { name: 'Eve' })).json(), { thanks: { name: 'Eve' } });
  });

  it('keeps its own errors', async () => {
    const broken = await send(undefined, 'GET', '/oven');
    assert.deepEqual([broken.statusCode, broken.json()], [500, { oops: 'Error: the oven is cold' }]);
    for (const url of ['/nothing', '/shopping', '/v1/orders', '/docs']) {
      const unknown = await send('ada', 'GET', url);
      assert.deepEqual([unknown.statusCode, unknown.json()], [404, { oops: 'nothing is baked here' }]);
    }
  });

  it('has one log, in which its requests keep the ids that it gives', async () => {
    await app.close();
    log.end();
    const lines = (await logged)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const idsOf = (url: string) => lines.flatMap((line) => (line.req?.url === url ? [line.reqId] : []));
    assert.match(idsOf('/hours')[0] ?? '', /^bakery-/);
    assert.ok(idsOf('/shop/v1/orders').length > 0);
    assert.ok(lines.every((line) => !JSON.stringify(line).includes('"ada"')));
  });
});
