import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { aNewOrder } from '../fixtures/new-orders.ts';
import { head, open, sendBytes } from '../fixtures/raw-http.ts';

const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n`;
const END = '0\r\n\r\n';

/** Sends a chunked body without a media type. */
async function send(api: Awaited<ReturnType<typeof anApi>>, url: string, chunks: string, headers = {}) {
  const sent = { 'X-API-Key': api.keys.issue(), 'Transfer-Encoding': 'chunked', ...headers };
  return await sendBytes(api, head(`POST ${url} HTTP/1.1`, sent) + chunks);
}

describe('a chunked body', () => {
  const json = { 'Content-Type': 'application/json' };
  const order = JSON.stringify(aNewOrder());
  /** The order in chunks of one byte, after white space in such chunks. */
  const inPieces = (count: number) => chunk(' ').repeat(count - order.length) + order.replaceAll(/./g, chunk) + END;

  it('arrives in at most 4,096 chunks, which cost more than their bytes', async () => {
    const api = await anApi();
    expect((await send(api, '/v1/orders', inPieces(4096), json)).status).toBe(201);
    const detail = 'The body must arrive in at most 4096 chunks.';
    const rejected = { status: 413, body: { code: 'payload_too_large', detail } };
    expect(await send(api, '/v1/orders', inPieces(4097), json)).toMatchObject(rejected);
  });
});

describe('a chunked body without a media type', () => {
  it('counts as no body if it is empty', async () => {
    const api = await anApi();
    const { url } = await api.acme.place();
    expect(await send(api, `${url}/cancel`, END)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(await send(api, '/v1/orders', END)).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
  });

  it('is discarded if the client disconnects before its end', async () => {
    const api = await anApi();
    const { url } = await api.acme.place();
    const { socket } = await open(api);
    const left = new Promise((resolve) => {
      api.app.server.once('request', (request) => {
        request.once('resume', () => socket.destroy()).once('close', resolve);
      });
    });
    const headers = { 'X-API-Key': api.keys.issue(), 'Transfer-Encoding': 'chunked' };
    socket.write(head(`POST ${url}/cancel HTTP/1.1`, headers));
    await left;
    expect((await api.acme.get(url)).body).toMatchObject({ status: 'pending', version: 1 });
  });

  it('is rejected after the check of the scope, and before those of its size and of Accept', async () => {
    const api = await anApi({ bodyLimitBytes: 10 });
    const long = chunk(JSON.stringify(aNewOrder())) + END;
    expect((await send(api, '/v1/orders', long, { Accept: 'text/html' })).status).toBe(415);
    expect((await send(api, '/v1/orders', long, { 'Content-Type': 'application/json' })).status).toBe(413);
    expect((await send(api, '/v1/orders', END, { Accept: 'text/html' })).status).toBe(406);
    const reader = { 'X-API-Key': api.keys.issue({ scopes: ['orders:read'] }) };
    expect((await send(api, '/v1/orders', long, reader)).status).toBe(403);
  });
});
