import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AN_ORDER } from '../running-server.ts';
import { aStandIn } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

/** Nobody listens there. */
const NOBODY = '127.0.0.1:1';

const KEYED = { 'idempotency-key': 'k' };

/** Two servers of which the one that is asked first ends without an answer. Counts what reached them. */
async function oneBroken() {
  let reached = 0;
  const answer: RequestListener = ({ socket }, response) => {
    reached += 1;
    if (reached === 1) socket.destroy();
    else response.end('answered');
  };
  const { url } = await startBalancer([await aStandIn(answer), await aStandIn(answer)]);
  return { url, reached: () => reached };
}

describe('a request whose server ends without an answer', () => {
  const again: readonly (readonly [string, RequestInit])[] = [
    ['a read', {}],
    ['a write with a key', { method: 'POST', body: AN_ORDER, headers: KEYED }],
    ['a deletion with a key', { method: 'DELETE', headers: KEYED }],
  ];
  for (const [what, init] of again) {
    it(`goes to the other one, if it is ${what}`, async () => {
      const { url, reached } = await oneBroken();
      const answer = await fetch(url, init);
      expect([answer.status, await answer.text(), reached()]).toEqual([200, 'answered', 2]);
    });
  }

  const once: readonly (readonly [string, RequestInit])[] = [
    ['a write without a key', { method: 'POST', body: AN_ORDER }],
    ['a deletion without a key', { method: 'DELETE' }],
    ['a write too long to be kept', { method: 'POST', body: 'x'.repeat(20_000), headers: KEYED }],
  ];
  for (const [what, init] of once) {
    it(`is answered 503 and not sent again, if it is ${what}`, async () => {
      const { url, reached } = await oneBroken();
      const answer = await fetch(url, init);
      expect([answer.status, reached()]).toEqual([503, 1]);
    });
  }
});

describe('a request that reaches no server at first', () => {
  for (const init of [{}, { method: 'POST', body: AN_ORDER }, { method: 'POST', body: AN_ORDER, headers: KEYED }]) {
    it(`goes to the other one: ${JSON.stringify(init)}`, async () => {
      const answering = await aStandIn((_request, response) => {
        response.end();
      });
      const { url } = await startBalancer([NOBODY, answering]);
      const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await fetch(url, init)).status));
      expect(statuses).toEqual([200, 200, 200, 200]);
    });
  }
});
