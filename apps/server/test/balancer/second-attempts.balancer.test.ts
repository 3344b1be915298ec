import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AN_ORDER } from '../programs/running-server.ts';
import { aStandIn } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

/** Nothing listens on this port. */
const UNUSED_ADDRESS = '127.0.0.1:1';

const KEYED = { 'idempotency-key': 'k' };

/** Starts two servers. The first one to receive a request ends without a response. Counts the requests of both. */
async function oneBroken() {
  let reached = 0;
  const response: RequestListener = ({ socket }, response) => {
    reached += 1;
    if (reached === 1) socket.destroy();
    else response.end('answered');
  };
  const { url } = await startBalancer([await aStandIn(response), await aStandIn(response)]);
  return { url, reached: () => reached };
}

describe('a request whose server ends without a response', () => {
  const again: readonly (readonly [string, RequestInit])[] = [
    ['a read', {}],
    ['a write with a key', { method: 'POST', body: AN_ORDER, headers: KEYED }],
    ['a deletion with a key', { method: 'DELETE', headers: KEYED }],
  ];
  for (const [what, init] of again) {
    it(`is sent to the other server: ${what}`, async () => {
      const { url, reached } = await oneBroken();
      const response = await fetch(url, init);
      expect([response.status, await response.text(), reached()]).toEqual([200, 'answered', 2]);
    });
  }

  const once: readonly (readonly [string, RequestInit])[] = [
    ['a write without a key', { method: 'POST', body: AN_ORDER }],
    ['a deletion without a key', { method: 'DELETE' }],
    ['a write that is too long for a buffer', { method: 'POST', body: 'x'.repeat(20_000), headers: KEYED }],
  ];
  for (const [what, init] of once) {
    it(`gets 503 and is not sent again: ${what}`, async () => {
      const { url, reached } = await oneBroken();
      const response = await fetch(url, init);
      expect([response.status, reached()]).toEqual([503, 1]);
    });
  }
});

describe('a request that reaches no server at first', () => {
  for (const init of [{}, { method: 'POST', body: AN_ORDER }, { method: 'POST', body: AN_ORDER, headers: KEYED }]) {
    it(`is sent to the other server: ${JSON.stringify(init)}`, async () => {
      const working = await aStandIn((_request, response) => {
        response.end();
      });
      const { url } = await startBalancer([UNUSED_ADDRESS, working]);
      const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await fetch(url, init)).status));
      expect(statuses).toEqual([200, 200, 200, 200]);
    });
  }
});
