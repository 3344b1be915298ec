import { expect, it } from 'vitest';
import { AN_ORDER } from '../programs/running-server.ts';
import { addressOf, aDatabase } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

const CLOSING = [
  'GET /nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'GET /nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n',
  'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'GET /nothing HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
];

it('a write behind the balancer, pipelined after a response that closes the connection, is not executed', async () => {
  const { apiKey, serve } = await aDatabase();
  const { url, raw } = await startBalancer([addressOf(await serve()), addressOf(await serve())]);
  const write =
    `POST /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(AN_ORDER)}\r\n\r\n${AN_ORDER}`;
  for (const request of CLOSING) {
    const statuses = [...(await raw(request + write)).matchAll(/HTTP\/1\.[01] (\d{3})/g)];
    expect([request, statuses.map(([, status]) => status)]).toEqual([request, [expect.stringMatching(/^4/)]]);
  }
  const listed = await fetch(`${url}/v1/orders`, { headers: { 'x-api-key': apiKey } });
  expect(await listed.json()).toMatchObject({ data: [] });
});
