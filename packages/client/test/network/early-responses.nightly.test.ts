import { createOrdersClient } from '@orders/client';
import { describe, expect, it } from 'vitest';
import { aServer } from '../servers/a-server.ts';
import { TEA } from '../doors/doors.ts';

const LONG = 'n'.repeat(20 * 1024 * 1024);

/** Returns the number of results of `send` by their text, over `count` calls in turn. */
async function tally(count: number, send: (index: number) => Promise<unknown>): Promise<Map<string, number>> {
  const results = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const result = String(await send(index));
    results.set(result, (results.get(result) ?? 0) + 1);
  }
  return results;
}

describe('a body of 20 MiB that the server rejects before its end', () => {
  it('is rejected with 413 by the client, every time', async () => {
    const { baseUrl, apiKey } = await aServer();
    const orders = createOrdersClient({ baseUrl, credentials: { apiKey }, retries: 0 });
    const codeOf = async () => {
      const placed = await orders.place({ items: [TEA], note: LONG });
      return placed.isErr() && 'code' in placed.error ? placed.error.code : JSON.stringify(placed);
    };
    expect(await tally(20, codeOf)).toEqual(new Map([['payload_too_large', 20]]));
  });

  it.each([
    ['413', 'application/json', true],
    ['401', 'application/json', false],
    ['415', 'text/plain', true],
  ])('is rejected with %s by fetch, every time', async (status, type, hasKey) => {
    const { baseUrl, apiKey } = await aServer();
    const headers = { 'content-type': type, ...(hasKey ? { 'x-api-key': apiKey } : {}) };
    const statusOf = async (index: number) => {
      // Half of them in chunks, because their length is unknown.
      const body = index % 2 === 0 ? LONG : new Blob([LONG]).stream();
      const response = await fetch(`${baseUrl}/v1/orders`, { method: 'POST', headers, body, duplex: 'half' });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await tally(40, statusOf)).toEqual(new Map([[status, 40]]));
  });
});
