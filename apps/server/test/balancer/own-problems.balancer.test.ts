import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AN_ORDER } from '../programs/running-server.ts';
import { aDatabase, aStandIn } from './balanced-servers.ts';
import { PUBLIC_BASE_URL, startBalancer } from './running-balancer.ts';

const PROBLEMS = join(import.meta.dirname, '../../deploy/haproxy/problems');
/** Nothing listens on this port. */
const UNUSED_ADDRESS = '127.0.0.1:1';

/** The predictable members of a problem of the API. */
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

async function seen(response: Response) {
  const body: unknown = await response.json();
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

/** Sends a request with an id of its own. */
const send = (url: string, id: string) => fetch(`${url}/v1/orders`, { headers: { 'x-request-id': id } });

function pick(value: unknown, names: readonly string[]) {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(members.filter(([name]) => names.includes(name)));
}

describe('the balancer responds with a problem:', () => {
  it('503 is returned when no server is available', async () => {
    const { url } = await startBalancer([UNUSED_ADDRESS, UNUSED_ADDRESS]);
    expect(await seen(await send(url, 'nobody'))).toMatchObject(problem(503, 'unavailable', 'nobody'));
    const response = await fetch(url, { method: 'POST', body: AN_ORDER });
    const id = response.headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await seen(response)).toMatchObject(problem(503, 'unavailable', id));
  });

  it('503 is returned when a server ends during a response', async () => {
    const breaking = await aStandIn(({ socket }) => {
      socket.end('HTTP/1.1 200 O');
    });
    const { url } = await startBalancer([breaking, breaking]);
    expect(await seen(await send(url, 'broken'))).toMatchObject(problem(503, 'unavailable', 'broken'));
  });

  it('504 is returned when a server never responds', async () => {
    const mute = await aStandIn(() => undefined);
    const { url } = await startBalancer([mute, mute]);
    expect(await seen(await send(url, 'patient'))).toMatchObject(problem(504, 'timeout', 'patient'));
  });

  it('wording is that of the API', async () => {
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
