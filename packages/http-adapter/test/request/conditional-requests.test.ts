import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client, Headers } from '../fixtures/a-client.ts';
import { anApi } from '../fixtures/an-api.ts';
import { createdEndpoint } from '../fixtures/created-endpoint.ts';
import { at } from '../fixtures/json.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';

/*
 * RFC 9110 section 13, conditional requests. Musts that do not apply:
 * - 13.1.3 and 13.1.4, what a modification date decides: none is sent, so both headers must be ignored.
 * - 13.1.5 If-Range: there are no ranges, so it must be ignored.
 * - Lists and deletions send no validator, so no client can have one; their conditions are ignored.
 */

/** Conditions that match version 1, in every valid spelling. */
const MATCHING = ['"1-1"', '*', '"7-1",\t"1-1"', ', "x" ,, "1-1" ,', ' "1-1" ', '"a,b", "1-1"', '"", "1-1"'];
/** Those that proxies make when they compress a response: nginx, Apache, Jetty, LiteSpeed, and two behind each other. */
const COMPRESSED = ['W/"1-1"', '"2-1", W/"1-1"', '"1-1-gzip"', '"1-1-br"', '"1-1--gzip"', '"1-1;gz"', 'W/"1-1-gzip"'];
/** Conditions that do not match version 1. */
const OTHERS = [
  '"2-1"',
  '"1-2"',
  '"1-01"',
  '"1"',
  '"x", "y"',
  '"11-1"',
  '"W/1-1"',
  '"1-1-1"',
  'W/"2-1"',
  '"2-1-gzip"',
  '"1-1-"',
  '"1-1gzip"',
  '"1-1-gzip-gzip"',
  '"1-gzip"',
];
const MALFORMED = ['"1-1 "', '', '1-1', '"1-1" "2-1"', '*, "1-1"', 'w/"1-1"', 'W/ "1-1"', ',', '"1\t1"'];

describe('a list of entity tags', () => {
  it.each([
    [MATCHING, 200, 304],
    [COMPRESSED, 200, 304],
    [OTHERS, 412, 200],
    [MALFORMED, 400, 400],
  ])('is compared with that of the order: %j', async (lists, ifMatch, ifNoneMatch) => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const statusesOf = (name: string) =>
      Promise.all(lists.map(async (tags) => [tags, (await acme.get(url, { [name]: tags })).status]));
    expect(await statusesOf('if-match')).toEqual(lists.map((tags) => [tags, ifMatch]));
    expect(await statusesOf('if-none-match')).toEqual(lists.map((tags) => [tags, ifNoneMatch]));
  });

  // If a pattern could match the space between two commas in two ways, backtracking would take 2^32 steps.
  it('is rejected without backtracking', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const before = process.threadCpuUsage().user;
    const response = await acme.get(url, { 'if-none-match': `"a"${', '.repeat(32)}x` });
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_header' } });
    // In microseconds.
    expect(process.threadCpuUsage().user - before).toBeLessThan(5_000_000);
  });
});

type Send = (client: Client, url: string, headers: Headers) => Promise<ApiResponse>;
const get: Send = (client, url, headers) => client.get(url, headers);
const head: Send = (client, url, headers) => client.head(url, headers);
const remove: Send = (client, url, headers) => client.delete(url, headers);
const patch =
  (body: object): Send =>
  (client, url, headers) =>
    client.patch(url, body, headers);
const post =
  (path: string): Send =>
  (client, url, headers) =>
    client.post(`${url}${path}`, undefined, headers);

/** Every operation on a resource with an entity tag. */
const OPERATIONS: readonly (readonly [string, 'order' | 'customer' | 'endpoint', Send])[] = [
  ['a read of an order', 'order', get],
  ['its HEAD', 'order', head],
  ['a change', 'order', patch({ note: 'x' })],
  ['a cancellation', 'order', post('/cancel')],
  ['a deletion', 'order', remove],
  ['a read of a customer', 'customer', get],
  ['a change of a customer', 'customer', patch({ name: 'x' })],
  ['a deletion of a customer', 'customer', remove],
  ['a read of an endpoint', 'endpoint', get],
  ['a change of an endpoint', 'endpoint', patch({ description: 'x' })],
  ['a rotation', 'endpoint', post('/secrets')],
  ['a deletion of an endpoint', 'endpoint', remove],
];

async function createdUrl(client: Client, kind: (typeof OPERATIONS)[number][1]): Promise<string> {
  if (kind === 'endpoint') return (await createdEndpoint(client)).url;
  if (kind === 'order') return (await client.place()).url;
  return (await client.post('/v1/customers', { email: 'ada@example.com' })).headers['location'] ?? '';
}

describe.each(OPERATIONS)('%s', (_, kind, send) => {
  const isRead = send === get || send === head;

  it('evaluates If-Match, then If-None-Match, both by version, and no dates and ranges', async () => {
    const { acme } = await anApi();
    const url = await createdUrl(acme, kind);
    const statusFor = async (headers: Headers) => (await send(acme, url, headers)).status;
    const present = isRead ? 304 : 412;
    for (const [headers, status] of [
      [{ 'if-match': '"2-1"' }, 412],
      [{ 'if-match': 'W/"2-1-gzip"' }, 412],
      [{ 'if-match': '"2-1"', 'if-none-match': '"1-1"' }, 412],
      [{ 'if-match': '"1-1"', 'if-none-match': '"1-1"' }, present],
      [{ 'if-none-match': 'W/"1-1"' }, present],
      [{ 'if-none-match': '*' }, present],
    ] as const)
      expect([headers, await statusFor(headers)]).toEqual([headers, status]);
    expect((await acme.get(url)).headers['etag']).toBe('"1-1"');
    const dates = { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT', 'if-modified-since': 'yesterday' };
    const ranges = { 'if-range': '"2-1"', range: 'bytes=0-1' };
    expect([200, 204]).toContain(
      await statusFor({ 'if-match': '"1-1"', 'if-none-match': '"2-1"', ...dates, ...ranges }),
    );
  });

  it('has the entity tag of its version, and names the current one in a 412', async () => {
    const { acme } = await anApi();
    const url = await createdUrl(acme, kind);
    const failed = await send(acme, url, { 'if-match': '"9-1"' });
    expect(at(failed.body, 'current_version')).toBe(send === head ? undefined : 1);
    const { status, headers } = await send(acme, url, {});
    expect([status, headers['etag']]).toEqual(status === 204 ? [204, undefined] : [200, isRead ? '"1-1"' : '"2-1"']);
  });
});

describe('conditions', () => {
  const failing = { 'if-match': '"9-1"', 'if-none-match': '*' };

  it('are ignored if the response without them is neither a success nor 412', async () => {
    const { acme, client } = await anApi();
    const { url } = await acme.place();
    const none = `/v1/orders/${NO_ORDER}`;
    for (const [response, status] of [
      [await acme.get(none, failing), 404],
      [await acme.patch(none, {}, failing), 404],
      [await acme.delete(none, { 'if-match': '*' }), 404],
      [await client().patch(url, {}, failing), 401],
      [await acme.patch(url, { status: 'lost' }, failing), 422],
      [await acme.patch(url, {}, { ...failing, 'content-type': 'text/plain' }), 415],
    ] as const)
      expect(response.status).toBe(status);
  });

  it('are ignored by operations that select no resource with an entity tag', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    for (const path of ['/v1/orders', `${url}/items`, `${url}/versions`, `${url}/versions/1`])
      expect([path, (await acme.get(path, failing)).status]).toEqual([path, 200]);
    const options = await acme.send({ method: 'OPTIONS', url: '/v1/orders', headers: failing });
    expect(options.status).toBe(204);
    expect((await acme.post('/v1/orders', aNewOrder(), failing)).status).toBe(201);
  });

  it('cause a 304 with the headers of a 200, and no content', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const { headers: whole } = await acme.get(url);
    const { headers, text } = await acme.get(url, { 'if-none-match': '*' });
    expect(text).toBe('');
    expect(headers).not.toHaveProperty('content-type');
    for (const name of ['etag', 'vary', 'cache-control']) expect(headers[name]).toBe(whole[name]);
  });
});

describe('a change without a condition', () => {
  it('applies to the newest version', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const notes = Array.from({ length: 10 }, (_, index) => `note ${index}`);
    const responses = await Promise.all(notes.map((note) => acme.patch(url, { note })));
    expect(responses.map(({ status }) => status)).toEqual(notes.map(() => 200));
    expect(at((await acme.get(url)).body, 'version')).toBe(11);
  });
});
