import { randomUUID } from 'node:crypto';
import type { SystemReport } from '@orders/http-adapter';
import { OPERATOR_ROLES, type OperatorRole } from '@orders/http-adapter/settings';
import { postgresOperators } from '@orders/persistence';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { anOperatorListener, BY, MARKER, REASON } from './operator-listener.ts';

/** Variables that have a secret, or a URL with one. */
const WITH_SECRETS = {
  AUTH_JWT_JWKS_URL: `https://example.com/keys?key=${MARKER}`,
  AUTH_JWT_ISSUER: 'https://example.com',
  AUTH_JWT_AUDIENCE: 'orders',
  OTEL_EXPORTER_OTLP_ENDPOINT: `https://example.com/${MARKER}`,
};

let files: ReadonlyMap<string, Buffer> | string = 'The console is not built. `pnpm console:build` builds it.';

const { send, as, forShop, signIn, idOf, running } = anOperatorListener(WITH_SECRETS, { console: () => files });

beforeAll(async () => {
  await signIn('admin', 'revoked');
  await signIn('admin', 'signed out');
  const now = new Date().toISOString();
  (await postgresOperators(running().database).revoke(idOf('revoked'), now, BY))._unsafeUnwrap();
  await send({ method: 'DELETE', url: '/admin/v1/session', headers: as('signed out') });
});

interface Documented {
  readonly operationId: string;
  readonly security: readonly [{ readonly OperatorSession: readonly [OperatorRole] }];
  readonly parameters: readonly { readonly name?: string; readonly required?: boolean }[];
}

const METHODS: Readonly<Record<string, 'POST' | 'PATCH' | 'DELETE'>> = {
  post: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Returns every route, as the document has it, which is made of the table of routes. */
async function routes() {
  const { paths } = (await send({ url: '/admin/openapi.json', headers: as('viewer') })).json<{
    paths: Record<string, Record<string, Documented>>;
  }>();
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId: id, security, parameters }]) => {
      if (method === 'parameters') return [];
      const needs = (name: string) => parameters.some((each) => each.name === name && each.required);
      const url = path.replaceAll('{version}', '1').replaceAll(/\{\w+\}/g, randomUUID());
      const [owner, reason] = [needs('Orders-Owner'), needs('Orders-Reason')];
      return [{ id, method: METHODS[method] ?? 'GET', url, path, role: security[0].OperatorSession[0], owner, reason }];
    }),
  );
}

describe('the listener for operators', () => {
  it('lets no one in without a valid token, a role and the headers, on any route', async () => {
    const found: string[] = [];
    const all = await routes();
    expect(all.length).toBeGreaterThan(25);
    for (const { method, url, path, role, owner, reason } of all) {
      const expectCode = async (name: string, code: string, headers: Readonly<Record<string, string>>) => {
        const got = (await send({ method, url, headers })).json<{ code?: string }>().code;
        if (got !== code) found.push(`${method} ${path} ${name}: ${got}`);
      };
      const complete = { ...(owner && { 'orders-owner': 'shop' }), ...(reason && REASON) };
      await expectCode('no token', 'unauthenticated', complete);
      for (const name of ['unknown', 'revoked', 'signed out'])
        await expectCode(name, 'unauthenticated', as(name, complete));
      const { authorization } = as('admin');
      await expectCode('Host', 'origin_not_allowed', { authorization, ...complete, host: 'evil.example' });
      await expectCode('another port', 'origin_not_allowed', { authorization, ...complete, host: '127.0.0.1:3000' });
      for (const site of ['cross-site', 'same-site', 'none'])
        await expectCode(site, 'origin_not_allowed', { authorization, ...complete, 'sec-fetch-site': site });
      if (path === '/admin/v1/sessions') continue;
      for (const other of OPERATOR_ROLES) {
        if (OPERATOR_ROLES.indexOf(other) < OPERATOR_ROLES.indexOf(role))
          await expectCode(other, 'insufficient_scope', as(other, complete));
        else if (owner) await expectCode(`${other} without owner`, 'invalid_header', as(other, reason ? REASON : {}));
        if (reason && other === 'admin')
          await expectCode('without reason', 'invalid_header', as(other, owner ? { 'orders-owner': 'shop' } : {}));
      }
      const key = await running().issueKey('shop');
      await expectCode('an API key', 'unauthenticated', { 'x-api-key': key, ...complete });
    }
    expect(found).toEqual([]);
  });

  it('returns to each role the operations that it may use, and the lifecycle of the orders', async () => {
    const all = await routes();
    for (const [index, role] of OPERATOR_ROLES.entries()) {
      const mayUse = all.filter((route) => OPERATOR_ROLES.indexOf(route.role) <= index).map(({ id }) => id);
      const session = await send({ url: '/admin/v1/session', headers: as(role) });
      const { operations } = session.json<{ operations: string[] }>();
      expect(operations.filter((id) => !id.includes(':')).toSorted()).toEqual(mayUse.toSorted());
      const jobs = ['create_job:redeliver', 'create_job:cancel'].slice(0, index);
      expect(operations.filter((id) => id.startsWith('create_job:'))).toEqual(jobs);
    }
    const definition = await send({ url: '/admin/v1/definition', headers: as('viewer') });
    const { statuses, ...ends } = definition.json<{ statuses: object[] }>();
    expect(ends).toMatchObject({ initial: 'pending', cancel: 'cancelled' });
    expect(statuses).toContainEqual({ status: 'paid', transitions: ['shipped', 'cancelled'] });
  });

  it('serves the console to a browser from anywhere, under a policy, once it is built', async () => {
    const opened = { 'sec-fetch-site': 'cross-site' };
    expect((await send({ url: '/', headers: opened })).body).toContain('<code>pnpm console:build</code>');
    expect((await send({ url: '/assets/index-Ab12.js' })).statusCode).toBe(404);
    files = new Map([
      ['index.html', Buffer.from('<title>Console</title>')],
      ['assets/index-Ab12.js', Buffer.from('run()')],
    ]);
    const page = await send({ url: '/', headers: opened });
    expect([page.statusCode, page.body]).toEqual([200, '<title>Console</title>']);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'cross-origin-opener-policy': 'same-origin' });
    const policy = String(page.headers['content-security-policy']).split('; ');
    for (const directive of ["script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"])
      expect(policy).toContain(directive);
    const script = await send({ url: '/assets/index-Ab12.js' });
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    });
    const gone = await send({ url: '/assets/index-gone.js' });
    expect([gone.statusCode, gone.headers['cache-control']]).toEqual([404, 'no-store']);
    for (const url of ['/', '/assets/index-Ab12.js'])
      expect((await send({ url, headers: { host: 'evil.example' } })).statusCode).toBe(403);
  });

  it('is unknown to the public listener', async () => {
    const found = await Promise.all(
      (await routes()).map(async ({ method, url, path }) => {
        const headers = forShop('admin', REASON);
        const { statusCode } = await running().app.inject({ method, url, headers });
        return path.startsWith('/admin/') ? statusCode === 404 : statusCode === 401;
      }),
    );
    expect(found).not.toContain(false);
  });

  it('is cached and framed nowhere', async () => {
    for (const headers of [as('viewer'), {}]) {
      const response = await send({ url: '/admin/v1/session', headers });
      expect(response.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
    }
  });
});

describe('the system', () => {
  it('says how the server and its database are, without secrets', async () => {
    const response = await send({ url: '/admin/v1/system', headers: as('viewer') });
    const { settings, findings, ...system } = response.json<SystemReport>();
    expect(system).toMatchObject({ not_ready: null, schema: 'orders', pool: { max: 10 }, feed: null, purge: null });
    const of = (name: string) => settings.find((each) => each.name === name);
    expect(of('DATABASE_URL')).toEqual({ name: 'DATABASE_URL', source: 'default', is_secret: true, value: null });
    expect(of('RATE_LIMIT_ANONYMOUS')).toMatchObject({ is_secret: false, value: '0' });
    expect(of('AUTH_JWT_JWKS_URL')?.value).toBe('https://example.com/keys');
    expect(response.body).not.toContain(MARKER);
    expect(findings.data.map(({ subject, state }) => [subject, state])).toContainEqual(['schema', 'ok']);
  });
});

describe('a session', () => {
  it('is looked up once a second at most, and ends within that time on other servers, and on this one at once', async () => {
    await signIn('viewer', 'watched');
    const read = async () => (await send({ url: '/admin/v1/session', headers: as('watched') })).statusCode;
    const sent = vi.spyOn(running().database.primary, 'execute');
    const began = performance.now();
    for (let time = 0; time < 50; time += 1) expect(await read()).toBe(200);
    const lookups = sent.mock.calls.filter(([{ text }]) => text.includes('operator_tokens as t join')).length;
    expect(lookups).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 1000));
    sent.mockRestore();
    const revoked = postgresOperators(running().database).revoke(idOf('watched'), new Date().toISOString(), BY);
    expect((await revoked)._unsafeUnwrap()).toBe(true);
    await expect.poll(read).toBe(401);
    await signIn('viewer', 'held');
    const held = async () => (await send({ url: '/admin/v1/session', headers: as('held') })).statusCode;
    const { primary } = running().database;
    const transaction = primary.transaction.bind(primary);
    const waits = vi.spyOn(primary, 'transaction').mockImplementationOnce(async (work) => {
      // Found, and cached, while the revocation is under way.
      expect(await held()).toBe(200);
      return await transaction(work);
    });
    const url = `/admin/v1/operators/${idOf('held')}`;
    await send({ method: 'DELETE', url, headers: as('admin', REASON) });
    expect(waits).toHaveBeenCalled();
    waits.mockRestore();
    expect(await held()).toBe(401);
    await signIn('viewer', 'leaving');
    expect((await send({ url: '/admin/v1/session', headers: as('leaving') })).statusCode).toBe(200);
    await send({ method: 'DELETE', url: '/admin/v1/session', headers: as('leaving') });
    expect((await send({ url: '/admin/v1/session', headers: as('leaving') })).statusCode).toBe(401);
  });
});
