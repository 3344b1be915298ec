import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AN_ORDER } from '../running-server.ts';
import { aDatabase, aStandIn } from './balanced-servers.ts';
import { PUBLIC_BASE_URL, startBalancer } from './running-balancer.ts';

const PROBLEMS = join(import.meta.dirname, '../../../../deploy/haproxy/problems');
/** Nobody listens there. */
const NOBODY = '127.0.0.1:1';

/** What a problem of the API has in all, as far as it can be foretold. */
const problem = (status: number, code: string, id: string) => ({
  status,
  headers: {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'api-version': '1',
    vary: 'Authorization, X-API-Key, Accept, API-Version',
    'x-request-id': id,
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  },
  body: {
    type: `${PUBLIC_BASE_URL}/problems/${code.replaceAll('_', '-')}`,
    status,
    instance: `urn:orders:request:${id}`,
    code,
    request_id: id,
  },
});

async function seen(answer: Response) {
  const body: unknown = await answer.json();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body };
}

/** A request with an id of its own. */
const ask = (url: string, id: string) => fetch(`${url}/v1/orders`, { headers: { 'x-request-id': id } });

function pick(value: unknown, names: readonly string[]) {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(members.filter(([name]) => names.includes(name)));
}

describe('the balancer answers with a problem', () => {
  it('503 when no server is there', async () => {
    const { url } = await startBalancer([NOBODY, NOBODY]);
    expect(await seen(await ask(url, 'nobody'))).toMatchObject(problem(503, 'unavailable', 'nobody'));
    const answer = await fetch(url, { method: 'POST', body: AN_ORDER });
    const id = answer.headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await seen(answer)).toMatchObject(problem(503, 'unavailable', id));
  });

  it('503 when a server ends in the middle of an answer', async () => {
    const breaking = await aStandIn(({ socket }) => {
      socket.end('HTTP/1.1 200 O');
    });
    const { url } = await startBalancer([breaking, breaking]);
    expect(await seen(await ask(url, 'broken'))).toMatchObject(problem(503, 'unavailable', 'broken'));
  });

  it('504 when a server takes the request and never answers', async () => {
    const mute = await aStandIn(() => undefined);
    const { url } = await startBalancer([mute, mute]);
    expect(await seen(await ask(url, 'patient'))).toMatchObject(problem(504, 'timeout', 'patient'));
  });

  it('in the words of the API', async () => {
    const { serve } = await aDatabase();
    const { url } = await serve();
    for (const file of readdirSync(PROBLEMS)) {
      const own: unknown = JSON.parse(readFileSync(join(PROBLEMS, file), 'utf8'));
      const page = await fetch(`${url}/problems/${basename(file, '.json')}`, {
        headers: { accept: 'application/json' },
      });
      const words: unknown = JSON.parse((await page.text()).replace(PUBLIC_BASE_URL, '%[env(PUBLIC_BASE_URL)]'));
      const members = ['type', 'title', 'status', 'code'];
      expect(pick(own, members)).toEqual(pick(words, members));
    }
  });
});
