import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aClient, type Answer } from './a-client.ts';
import { anApi } from './an-api.ts';
import { isRecord, listAt } from './json.ts';
import { NO_ORDER } from './new-orders.ts';
import { judgeOf } from './openapi-judge.ts';
import { head, sendBytes } from './raw-http.ts';

const judge = judgeOf({});

/** `answer` with another body, and some headers that differ. */
function withBody(answer: Answer, change: Readonly<Record<string, unknown>>): Answer {
  return { ...answer, body: { ...(isRecord(answer.body) && answer.body), ...change } };
}

function withHeaders(answer: Answer, change: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...answer.headers, ...change } };
}

function withoutHeader({ headers, ...answer }: Answer, name: string): Answer {
  return { ...answer, headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)) };
}

function item(order: Answer): object {
  const [first] = listAt(order.body, 'items');
  return isRecord(first) ? first : {};
}

const OF_A_READ: readonly (readonly [string, string, (answer: Answer) => Answer])[] = [
  ['a status', 'the status 418 is not documented', (answer) => ({ ...answer, status: 418 })],
  ['a header', 'the header x-other is not documented', (answer) => withHeaders(answer, { 'x-other': '1' })],
  ['the value of a header', 'the header ETag: it must match', (answer) => withHeaders(answer, { etag: 'W/"1"' })],
  ['a cache', 'the header Cache-Control: it must be', (answer) => withHeaders(answer, { 'cache-control': 'public' })],
  ['a header that is missing', 'the header ETag is missing', (answer) => withoutHeader(answer, 'etag')],
  ['a media type', '"text/html"', (answer) => withHeaders(answer, { 'content-type': 'text/html' })],
  ['a member', '"secret"', (answer) => withBody(answer, { secret: 1 })],
  [
    'a member deep inside',
    '/items/0 must NOT have unevaluated properties',
    (answer) => withBody(answer, { items: [{ ...item(answer), secret: 1 }] }),
  ],
  ['a member that is missing', '"total"', (answer) => withBody(answer, { total: undefined })],
  ['a type', '/version must be integer', (answer) => withBody(answer, { version: '1' })],
  ['a value', '/status must be', (answer) => withBody(answer, { status: 'lost' })],
  ['a time', '/created_at must match', (answer) => withBody(answer, { created_at: '2026-01-02T03:04:05Z' })],
  ['no body', 'must be object', (answer) => ({ ...answer, text: '', body: undefined })],
];

const OF_A_PROBLEM: readonly (readonly [string, string, (answer: Answer) => Answer])[] = [
  ['a member', '"secret"', (answer) => withBody(answer, { secret: 1 })],
  ['a code of another operation', '/code must be', (answer) => withBody(answer, { code: 'email_taken' })],
  ['a status in the body', '/status must be', (answer) => withBody(answer, { status: 400 })],
  ['a media type', '"application/json"', (answer) => withHeaders(answer, { 'content-type': 'application/json' })],
];

/** What is wrong with an answer, in one text. */
async function faults(change: (answer: Answer) => Answer, id?: string): Promise<string> {
  const { acme } = await anApi();
  const url = id === undefined ? (await acme.place()).url : `/v1/orders/${id}`;
  const answer = change(await acme.get(url));
  return judge({ method: 'GET', url }, answer).join('\n');
}

describe('an answer that the document does not tell of is found out by', () => {
  it.each(OF_A_READ)('%s', async (_, fault, change) => {
    expect(await faults((answer) => answer)).toBe('');
    expect(await faults(change)).toContain(fault);
  });

  it.each(OF_A_PROBLEM)('%s of a problem', async (_, fault, change) => {
    expect(await faults((answer) => answer, NO_ORDER)).toBe('');
    expect(await faults(change, NO_ORDER)).toContain(fault);
  });

  it('a body where there is none', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const answer = await acme.head(url);
    expect(judge({ method: 'HEAD', url }, { ...answer, text: '{}' })).toEqual(['a body is not documented']);
  });

  it('a body that was taken, though it may not be sent', async () => {
    const { acme } = await anApi();
    const { answer } = await acme.place();
    const asked = { method: 'POST', url: '/v1/orders', payload: JSON.stringify({ items: [], shop: 1 }) };
    const found = judge(asked, answer).join('\n');
    expect(found).toContain('the body that was taken: /items must NOT have fewer than 1 items');
    expect(found).toContain('"shop"');
    expect(judge({ ...asked, payload: '' }, answer)).toEqual([]);
  });

  it('an operation, whatever the spelling of its path', async () => {
    const { acme } = await anApi();
    const answer = await acme.get('/v1/orders');
    for (const url of ['/v1/orders', '/orders?limit=1', '/v1/%6frders', 'http://orders.test/v1/orders']) {
      expect(judge({ method: 'GET', url }, { ...answer, status: 418 })).toHaveLength(1);
    }
    expect(judge({ method: 'GET', url: '/v1/carts' }, answer)).toEqual(['the document has no such operation']);
  });

  it.each([
    ['unknown paths', 'GET', '/v1/nothing'],
    ['other methods', 'PUT', '/v1/orders'],
  ] as const)('a problem of %s', async (_, method, url) => {
    const { acme } = await anApi();
    const answer = await acme.send({ method, url });
    expect(judge({ method, url }, withBody(answer, { secret: 1 })).join()).toContain('"secret"');
    expect(judge({ method, url }, withoutHeader(answer, 'vary'))).toEqual(['the header Vary is missing']);
    const html = withHeaders(answer, { 'content-type': 'text/html' });
    expect(judge({ method, url }, html)).toEqual(['the media type "text/html" is not that of a problem']);
    expect(judge(undefined, html)).toHaveLength(1);
  });
});

describe('a test', () => {
  it('fails when its client, or its connection, gets such an answer', async () => {
    const app = fastify();
    app.get('/v1/orders', () => ({ data: [] }));
    const problem = /GET \/v1\/orders was answered with 200, not as documented:\n.*API-Version is missing/s;
    await expect(aClient(app, undefined, judge).get('/v1/orders')).rejects.toThrow(problem);
    await expect(sendBytes({ app, judge }, head('GET /v1/orders HTTP/1.1'))).rejects.toThrow(problem);
    await app.close();
  });
});
