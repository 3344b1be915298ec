import { randomUUID } from 'node:crypto';
import type { SystemReport } from '@orders/http-adapter';
import { newSignInToken, OPERATOR_ROLES, type OperatorRole } from '@orders/http-adapter/settings';
import { postgresAudit, postgresOperators, runJobs } from '@orders/persistence';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { composeServer, type ComposedServer } from './composed-server.ts';

const HOST = '127.0.0.1:0';
const REASON = { 'orders-reason': encodeURIComponent('a ticket') };
const BY = { actor: 'command:test', reason: null };
const MARKER = `marker-${randomUUID().slice(0, 8)}`;
/** Variables that have a secret, or a URL with one. */
const WITH_SECRETS = {
  AUTH_JWT_JWKS_URL: `https://example.com/keys?key=${MARKER}`,
  AUTH_JWT_ISSUER: 'https://example.com',
  AUTH_JWT_AUDIENCE: 'orders',
  OTEL_EXPORTER_OTLP_ENDPOINT: `https://example.com/${MARKER}`,
};

let server: ComposedServer;
let files: ReadonlyMap<string, Buffer> | string = 'The console is not built. `pnpm console:build` builds it.';
const tokens = new Map<string, string>();
const ids = new Map<string, string>();

type Sent = Pick<InjectOptions, 'method' | 'url' | 'payload'> & { readonly headers?: Readonly<Record<string, string>> };

const send = async ({ headers, ...request }: Sent) => {
  const response = await server.operators?.inject({ ...request, headers: { host: HOST, ...headers } });
  if (!response) throw new Error('there is no listener for operators');
  return response;
};
const as = (role: string, more: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${tokens.get(role) ?? ''}`,
  ...more,
});
const forShop = (role: string, more: Readonly<Record<string, string>> = {}) =>
  as(role, { 'orders-owner': 'shop', ...more });

/** Creates an operator, and signs in. */
async function signIn(role: OperatorRole, name: string = role): Promise<void> {
  const { token, ...link } = newSignInToken(new Date());
  const operator = { id: randomUUID(), name, role };
  (await postgresOperators(server.database).create(operator, link, BY))._unsafeUnwrap();
  const url = '/admin/v1/sessions';
  const signedIn = await send({ method: 'POST', url, headers: { authorization: `Bearer ${token}` } });
  expect(signedIn.statusCode).toBe(200);
  tokens.set(name, signedIn.json<{ token: string }>().token);
  ids.set(name, operator.id);
  // A link works once, and is no session.
  expect((await send({ method: 'POST', url, headers: { authorization: `Bearer ${token}` } })).statusCode).toBe(401);
}

beforeAll(async () => {
  server = await composeServer({ ADMIN_PORT: '0', RATE_LIMIT_ANONYMOUS: '0', ...WITH_SECRETS }, undefined, {
    console: () => files,
  });
  for (const role of OPERATOR_ROLES) await signIn(role);
  await signIn('admin', 'revoked');
  await signIn('admin', 'signed out');
  (
    await postgresOperators(server.database).revoke(ids.get('revoked') ?? '', new Date().toISOString(), BY)
  )._unsafeUnwrap();
  await send({ method: 'DELETE', url: '/admin/v1/session', headers: as('signed out') });
});
afterAll(() => server.close());

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
      const key = await server.issueKey('shop');
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
        const { statusCode } = await server.app.inject({ method, url, headers });
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

const ADDRESS = { name: MARKER, line1: MARKER, city: MARKER, postal_code: MARKER, country: 'DE' };
const ORDER = {
  items: [{ sku: 'BREAD', name: 'Bread', quantity: 2, unit_price: { amount: 250, currency: 'EUR' } }],
  buyer: { name: MARKER, email: `${MARKER}@example.com` },
  shipping_address: ADDRESS,
  billing_address: ADDRESS,
  note: MARKER,
  metadata: { marker: MARKER },
};

/** Places an order with the marker in everything personal, as support for the shop. */
async function place() {
  const headers = forShop('support', { ...REASON, 'orders-external-user-id': MARKER });
  const customer = { email: `${randomUUID()}@${MARKER}.example`, name: MARKER, metadata: { marker: MARKER } };
  const created = await send({ method: 'POST', url: '/v1/customers', headers, payload: customer });
  expect(created.statusCode).toBe(201);
  const customer_id = created.json<{ id: string }>().id;
  const placed = await send({ method: 'POST', url: '/v1/orders', headers, payload: { ...ORDER, customer_id } });
  expect(placed.statusCode).toBe(201);
  const { id } = placed.json<{ id: string }>();
  const cancelled = await send({
    method: 'POST',
    url: `/v1/orders/${id}/cancel`,
    headers,
    payload: { reason: MARKER },
  });
  expect(cancelled.statusCode).toBe(200);
  return { id, customer_id };
}

const audit = async (owner: string | null = 'shop') =>
  (await postgresAudit(server.database).list({ owner, before: null, limit: 1000 }))._unsafeUnwrap();

describe('an operator who acts for an owner', () => {
  it('is the actor of the change, which is recorded with it and the reason', async () => {
    const { id } = await place();
    const { url, headers } = { url: `/v1/orders/${id}/versions`, headers: forShop('viewer') };
    const actor = `operator:${ids.get('support') ?? ''}`;
    const { data } = (await send({ url, headers })).json<{ data: readonly { actor: string }[] }>();
    expect(data.map((version) => version.actor)).toEqual([actor, actor]);
    const recorded = (await audit()).filter(({ subject }) => subject === id);
    expect(recorded.map(({ action, reason, actor: by }) => [action, reason, by])).toEqual([
      ['cancel_order', 'a ticket', actor],
      ['place_order', 'a ticket', actor],
    ]);
    // A refused change changes and records nothing.
    const again = { method: 'POST', url: `/v1/orders/${id}/cancel`, headers: forShop('support', REASON) } as const;
    expect((await send(again)).json()).toMatchObject({ code: 'order_already_cancelled' });
    expect((await audit()).filter(({ subject }) => subject === id)).toEqual(recorded);
    // No other owner has it.
    const other = as('support', { 'orders-owner': 'other' });
    expect((await send({ url: `/v1/orders/${id}`, headers: other })).statusCode).toBe(404);
  });

  it('has the reason beside the version that it made in the timeline, for those who may read it', async () => {
    const { id } = await place();
    const headers = { 'orders-reason': 'another', 'content-type': 'application/merge-patch+json' };
    const unchanged = { method: 'PATCH', url: `/v1/orders/${id}`, payload: {} } as const;
    expect((await send({ ...unchanged, headers: forShop('support', headers) })).statusCode).toBe(200);
    await send({ method: 'DELETE', url: `/v1/orders/${id}`, headers: forShop('support', REASON) });
    const reasons = async (role: string) => {
      const timeline = await send({ url: `/admin/v1/orders/${id}/timeline`, headers: forShop(role) });
      return timeline.json<{ data: { operator_reason: string }[] }>().data.map((entry) => entry.operator_reason);
    };
    expect([await reasons('support'), await reasons('viewer')]).toEqual([
      Array(3).fill('a ticket'),
      Array(3).fill(null),
    ]);
  });

  it('reads personal data only of one order or person, by a role that may, once it is recorded', async () => {
    const { id, customer_id } = await place();
    const reveals = [
      ['get_order', `/v1/orders/${id}`, id],
      ['get_order_version', `/v1/orders/${id}/versions/1`, id],
      ['get_order_timeline', `/admin/v1/orders/${id}/timeline`, id],
      ['get_customer', `/v1/customers/${customer_id}`, customer_id],
      ['list_customer_data', `/v1/customers/${customer_id}/data`, customer_id],
      ['list_events', '/v1/events?start=oldest&include=resource&types=order.placed', null],
    ] as const;
    const masked = [
      '/admin/v1/orders',
      '/v1/orders',
      `/v1/orders/${id}/versions`,
      '/v1/customers',
      '/v1/events?start=oldest',
      `/v1/orders/${id}/items`,
    ];
    for (const url of [...masked, ...reveals.map(([, each]) => each)]) {
      const seen = await send({ url, headers: forShop('viewer') });
      expect([url, seen.statusCode, seen.body.includes(MARKER)]).toEqual([url, 200, false]);
    }
    for (const url of masked) {
      const seen = await send({ url, headers: forShop('admin') });
      expect([url, seen.statusCode, seen.body.includes(MARKER)]).toEqual([url, 200, false]);
    }
    const found = await send({ url: '/v1/orders?lookup=external.shop:1', headers: forShop('viewer') });
    expect(found.json()).toMatchObject({ code: 'insufficient_scope', required_scope: 'support' });
    const before = (await audit()).length;
    for (const [action, url, subject] of reveals) {
      const seen = await send({ url, headers: forShop('support', { 'if-none-match': '*' }) });
      expect([url, seen.statusCode, seen.body.includes(MARKER)]).toEqual([url, 200, true]);
      expect((await audit())[0]).toMatchObject({ action, subject, actor: `operator:${ids.get('support') ?? ''}` });
    }
    expect((await audit()).length).toBe(before + reveals.length);
  });

  it('manages webhook endpoints, by a role that may, recorded with the write or before it is sent', async () => {
    const url = `https://hooks.example.com/${MARKER}`;
    const post = (path: string, role: string, payload: object = {}, more: Readonly<Record<string, string>> = {}) =>
      send({ method: 'POST', url: path, headers: forShop(role, { ...REASON, ...more }), payload });
    const endpoints = '/v1/webhook_endpoints';
    expect((await post(endpoints, 'support', { url })).json()).toMatchObject({ required_scope: 'admin' });
    const key = { 'idempotency-key': randomUUID() };
    const created = await post(endpoints, 'admin', { url }, key);
    expect(created.statusCode).toBe(201);
    const { id, secret } = created.json<{ id: string; secret: string }>();
    expect(secret).toMatch(/^whsec_/);
    expect((await post(endpoints, 'admin', { url }, key)).json()).toMatchObject({ id });
    const one = `${endpoints}/${id}`;
    const host = { url: 'https://hooks.example.com' };
    expect((await send({ url: endpoints, headers: forShop('admin') })).json()).toMatchObject({ data: [host] });
    expect((await send({ url: one, headers: forShop('viewer') })).json()).toMatchObject(host);
    expect((await send({ url: one, headers: forShop('support') })).json()).toMatchObject({ url });
    const disable = { method: 'PATCH', url: one, payload: { status: 'disabled' } } as const;
    const stale = await send({ ...disable, headers: forShop('admin', { ...REASON, 'if-match': '"v7"' }) });
    expect(stale.statusCode).toBe(412);
    expect((await send({ ...disable, headers: forShop('admin', REASON) })).json()).toMatchObject({
      status: 'disabled',
    });
    expect((await post(`${one}/secrets`, 'admin')).statusCode).toBe(200);
    const redelivered = await post(`${one}/deliveries`, 'support', { event_id: randomUUID() });
    expect(redelivered.json()).toMatchObject({ code: 'delivery_not_found' });
    const enable = { ...disable, payload: { status: 'enabled' }, headers: forShop('admin', REASON) } as const;
    const rename = (from: string, to: string) =>
      server.database.primary.run(`alter table orders.${from} rename to ${to}`);
    await rename('owner_audit', 'gone');
    try {
      expect((await send(enable)).statusCode).toBe(503);
    } finally {
      await rename('gone', 'owner_audit');
    }
    expect((await send({ url: one, headers: forShop('viewer') })).json()).toMatchObject({ status: 'disabled' });
    const recorded = (await audit()).filter(({ subject }) => subject === id);
    expect(recorded.map(({ action, reason }) => [action, reason]).toReversed()).toEqual([
      ['create_webhook_endpoint', 'a ticket'],
      ['get_webhook_endpoint', null],
      ['change_webhook_endpoint', 'a ticket'],
      ['rotate_webhook_secret', 'a ticket'],
      ['redeliver_webhook_event', 'a ticket'],
    ]);
    const remove = { method: 'DELETE', url: one, headers: forShop('admin', REASON) } as const;
    expect((await send(remove)).statusCode).toBe(204);
    expect((await audit())[0]).toMatchObject({ action: 'delete_webhook_endpoint', subject: id, reason: 'a ticket' });
  });

  it('neither reads nor changes what cannot be recorded', async () => {
    const { id } = await place();
    const { customer_id } = await place();
    const rename = (from: string, to: string) =>
      server.database.primary.run(`alter table orders.${from} rename to ${to}`);
    await rename('owner_audit', 'gone');
    try {
      const seen = await send({ url: `/v1/orders/${id}`, headers: forShop('support') });
      expect([seen.statusCode, seen.body.includes(MARKER)]).toEqual([503, false]);
      const url = `/v1/customers/${customer_id}`;
      const headers = forShop('support', { ...REASON, 'content-type': 'application/merge-patch+json' });
      const changed = await send({ method: 'PATCH', url, headers, payload: JSON.stringify({ name: 'changed' }) });
      expect(changed.statusCode).toBe(503);
      await rename('operator_audit', 'gone_too');
      const ofNone = { method: 'DELETE', url: `/admin/v1/operators/${ids.get('viewer') ?? ''}` } as const;
      expect((await send({ ...ofNone, headers: as('admin', REASON) })).statusCode).toBe(503);
      await rename('gone_too', 'operator_audit');
    } finally {
      await rename('gone', 'owner_audit');
    }
    const { name } = (await send({ url: `/v1/customers/${customer_id}`, headers: forShop('support') })).json<{
      name: string;
    }>();
    expect(name).toBe(MARKER);
  });
});

describe('the list of orders', () => {
  it('is of one owner or all, by what a person knows, and names the owner of each', async () => {
    const { id } = await place();
    const other = as('support', { 'orders-owner': 'other', ...REASON });
    const payload = { items: ORDER.items, reference: 'of another' };
    expect((await send({ method: 'POST', url: '/v1/orders', headers: other, payload })).statusCode).toBe(201);
    const list = async (query: string, headers = as('viewer')) => {
      const response = await send({ url: `/admin/v1/orders?${query}`, headers });
      const { data, page, owners } = response.json<{
        data: { owner: string; id: string }[];
        page: object;
        owners: object;
      }>();
      return { owners, page, link: response.headers['link'], found: data.map((each) => each.owner) };
    };
    expect(await list(`ids=${id}`)).toMatchObject({
      found: ['shop'],
      owners: { looked_at: 2, all: 2, passed_over: [] },
    });
    expect(await list(`ids=${id}`, as('viewer', { 'orders-owner': 'other' }))).toMatchObject({ found: [] });
    expect(await list('reference=of+another')).toMatchObject({
      found: ['other'],
      page: { has_more: false, limit: 20 },
    });
    const first = await list('limit=1&currency=EUR&total_from=1');
    expect(first).toMatchObject({ found: ['other'], page: { has_more: true } });
    const next = /<\/admin\/v1\/orders\?(.*)>/.exec(String(first.link))?.[1];
    expect(await list(String(next))).toMatchObject({ found: ['shop'] });
    for (const [query, code, role] of [
      ['after=x', 'invalid_cursor', 'viewer'],
      ['sort=created_at', 'unknown_parameter', 'viewer'],
      ['total_to=x&currency=EUR', 'invalid_parameter', 'viewer'],
      ['lookup=external.shop:1', 'insufficient_scope', 'viewer'],
    ] as const)
      expect((await send({ url: `/admin/v1/orders?${query}`, headers: as(role) })).json()).toMatchObject({ code });
  });

  it('is also by the email of the buyer, which is in the body', async () => {
    const { id } = await place();
    const search = async (body: object, headers = as('support')) =>
      (await send({ method: 'POST', url: '/admin/v1/order_searches', headers, payload: body })).json<{
        readonly data: readonly { readonly id: string }[];
        readonly page: { readonly next_cursor: string };
      }>();
    const buyer_email = ORDER.buyer.email.toUpperCase();
    const { data, page } = await search({ buyer_email, limit: 1 });
    expect(data).toMatchObject([{ id, owner: 'shop' }]);
    const further = await search({ buyer_email, after: page.next_cursor });
    expect(further.data.length).toBeGreaterThan(0);
    expect(further.data.map((each) => each.id)).not.toContain(id);
    expect(await search({ buyer_email: 'x', after: 'x' })).toMatchObject({ code: 'validation_failed' });
    expect(await search({ buyer_email, after: 'x' })).toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('an erasure by an operator', () => {
  it('leaves no reason about the person, also of a deleted order or customer, or of a read by email', async () => {
    const { id, customer_id } = await place();
    const reason = `about ${randomUUID()}`;
    const headers = forShop('support', { 'orders-reason': encodeURIComponent(reason) });
    const done = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const response = await send({ method, url, headers, ...(payload && { payload }) });
      expect([method, url, response.statusCode < 300]).toEqual([method, url, true]);
      return response;
    };
    const email = `${randomUUID()}@example.com`;
    const created = await done('POST', '/v1/customers', { email });
    await done('DELETE', `/v1/customers/${created.json<{ id: string }>().id}`);
    const placed = await done('POST', '/v1/orders', { ...ORDER, customer_id });
    await done('DELETE', `/v1/orders/${placed.json<{ id: string }>().id}`);
    await done('GET', `/v1/orders/${id}`);
    await done('GET', `/v1/customers/${customer_id}/data`);
    await done('GET', '/v1/events?include=resource&types=order.placed');
    await done('POST', '/v1/person_data', { email });
    const erased = await done('POST', `/v1/customers/${customer_id}/erasures`);
    expect(erased.json()).toMatchObject({ erasure: { status: 'done' } });
    const written = async () => (await audit()).filter((record) => record.reason === reason).length;
    expect(await written()).toBe(0);
    // Nor does a repeated erasure leave those that were written in between.
    for (const url of [`/v1/orders/${id}`, `/v1/customers/${customer_id}`]) await done('GET', url);
    expect(await written()).toBe(2);
    await done('POST', `/v1/customers/${customer_id}/erasures`);
    expect(await written()).toBe(0);
  });
});

const listOwners = async (query: string, more = {}) =>
  (await send({ url: `/admin/v1/owners${query}`, headers: as('viewer', more) })).json<{
    data: readonly { owner: string; load: { requests: number } }[];
    page: { next_cursor: string; has_more: boolean };
    complete: boolean;
  }>();

describe('an owner', () => {
  const changeOwner = async (payload: object) => {
    const headers = as('admin', REASON);
    const changed = await send({ method: 'POST', url: '/admin/v1/owner_changes', headers, payload });
    await server.readOwnerSettings();
    return changed;
  };
  it('has limits of its own in place of those of the server, until an admin ends them', async () => {
    const key = await server.issueKey('limited');
    const policyOf = async () => {
      const { headers } = await server.app.inject({ url: '/v1/orders', headers: { 'x-api-key': key } });
      return headers['ratelimit-policy'];
    };
    expect(await policyOf()).toBe('"read";q=600;w=60');
    const limits = { read: 1200, write: null, batch: 0 };
    const set = { owner: 'limited', suspended_at: null, rate_limits: limits };
    expect((await changeOwner({ owner: 'limited', rate_limits: { read: 1200, batch: 0 } })).json()).toEqual(set);
    expect(await policyOf()).toBe('"read";q=1200;w=60');
    // Neither change ends the other one.
    const suspended = await changeOwner({ owner: 'limited', suspended: true });
    expect(suspended.json()).toEqual({ ...set, suspended_at: expect.any(String) as unknown });
    const { data } = await listOwners('?select=set');
    expect(data).toEqual([expect.objectContaining(suspended.json<object>())]);
    expect((await changeOwner({ owner: 'limited', suspended: false })).json()).toEqual(set);
    await changeOwner({ owner: 'limited', rate_limits: null });
    expect([await policyOf(), (await listOwners('?select=set')).data]).toEqual(['"read";q=600;w=60', []]);
    // What changes nothing is not recorded.
    await changeOwner({ owner: 'limited', rate_limits: null, suspended: false });
    const actions = (await audit(null)).filter(({ subject }) => subject === 'limited').map(({ action }) => action);
    expect(actions).toEqual(['unlimit_owner', 'resume_owner', 'suspend_owner', 'limit_owner']);
    const invalid = await changeOwner({ owner: 'limited', rate_limits: { read: -1, any: 1 } });
    expect(invalid.json()).toMatchObject({ errors: [{ field: 'rate_limits.any' }, { field: 'rate_limits.read' }] });
  });

  it('that is suspended is refused by the API once the servers know it, and is still served to operators', async () => {
    const key = await server.issueKey('shop');
    const asShop = async () => (await server.app.inject({ url: '/v1/orders', headers: { 'x-api-key': key } })).body;
    await changeOwner({ owner: 'shop', suspended: true });
    expect(await asShop()).toContain('"code":"owner_suspended"');
    const other = await server.issueKey('other');
    expect((await server.app.inject({ url: '/v1/orders', headers: { 'x-api-key': other } })).statusCode).toBe(200);
    expect((await send({ url: '/v1/orders', headers: forShop('viewer') })).statusCode).toBe(200);
    expect(await listOwners('?select=set')).toMatchObject({ data: [{ owner: 'shop' }] });
    await changeOwner({ owner: 'shop', suspended: false });
    expect(await asShop()).toContain('"has_more":');
    const [resumed, suspended] = await audit(null);
    expect([resumed, suspended]).toMatchObject([
      { action: 'resume_owner', subject: 'shop', reason: 'a ticket' },
      { action: 'suspend_owner', subject: 'shop', reason: 'a ticket' },
    ]);
    const invalid = await changeOwner({ owner: '', other: 1, suspended: 1 });
    expect(invalid.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'other', code: 'unknown_field' }, { field: 'owner' }, { field: 'suspended' }],
    });
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
    const sent = vi.spyOn(server.database.primary, 'execute');
    const began = performance.now();
    for (let time = 0; time < 50; time += 1) expect(await read()).toBe(200);
    const lookups = sent.mock.calls.filter(([{ text }]) => text.includes('operator_tokens as t join')).length;
    expect(lookups).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 1000));
    sent.mockRestore();
    const revoked = postgresOperators(server.database).revoke(ids.get('watched') ?? '', new Date().toISOString(), BY);
    expect((await revoked)._unsafeUnwrap()).toBe(true);
    await expect.poll(read).toBe(401);
    await signIn('viewer', 'held');
    const held = async () => (await send({ url: '/admin/v1/session', headers: as('held') })).statusCode;
    const { primary } = server.database;
    const transaction = primary.transaction.bind(primary);
    const waits = vi.spyOn(primary, 'transaction').mockImplementationOnce(async (work) => {
      // Found, and cached, while the revocation is under way.
      expect(await held()).toBe(200);
      return await transaction(work);
    });
    const url = `/admin/v1/operators/${ids.get('held') ?? ''}`;
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

describe('the list of owners', () => {
  it('has what they use of this server, and is read by cursor', async () => {
    await place();
    const headers = as('support', { ...REASON, 'orders-owner': 'other' });
    expect((await send({ method: 'POST', url: '/v1/orders', headers, payload: ORDER })).statusCode).toBe(201);
    const first = await listOwners('?limit=1');
    const second = await listOwners(`?limit=1&after=${first.page.next_cursor}`);
    expect([...first.data, ...second.data].map(({ owner }) => owner)).toEqual(['other', 'shop']);
    expect([first.page.has_more, first.complete, second.complete]).toEqual([true, true, true]);
    expect(await listOwners(`?select=set&after=${first.page.next_cursor}`)).toMatchObject({ code: 'invalid_cursor' });
    // What operators do for an owner is not the load of the owner.
    const key = await server.issueKey('without events');
    for (const [status, url] of [
      [200, '/v1/orders'],
      [404, `/v1/orders/${randomUUID()}`],
    ] as const)
      expect((await server.app.inject({ url, headers: { 'x-api-key': key } })).statusCode).toBe(status);
    const { data } = await listOwners('?select=busiest');
    expect(data.find(({ owner }) => owner === 'without events')).toMatchObject({
      load: { requests: 2, rate_limited: 0, unavailable: 0, busy_ms: expect.any(Number) as unknown },
    });
    const alone = await listOwners('', { 'orders-owner': 'without events' });
    expect(alone.data.map(({ owner, load }) => [owner, load.requests])).toEqual([['without events', 2]]);
  });
});

describe('an admin', () => {
  it('creates, lists, renames and revokes credentials of an owner, which is recorded', async () => {
    const owner = `owner of ${randomUUID()}`;
    const ofOwner = as('admin', { 'orders-owner': owner, ...REASON });
    const post = (url: string, payload: object, headers = as('admin', REASON)) =>
      send({ method: 'POST', url: `/admin/v1/${url}`, headers, payload });
    const listed = async (url: string) =>
      (await send({ url: `/admin/v1/${url}`, headers: as('admin', { 'orders-owner': owner }) })).json<object>();
    const grant = { scopes: ['orders:read'], name: 'shop' };
    const created = await post('api_keys', grant, ofOwner);
    const { key, prefix } = created.json<{ key: string; prefix: string }>();
    const use = () => server.app.inject({ url: '/v1/orders', headers: { 'x-api-key': key } });
    expect((await use()).statusCode).toBe(200);
    expect((await post('api_key_changes', { prefix, name: 'web shop' })).statusCode).toBe(204);
    const renamed = { prefix, owner, scopes: grant.scopes, name: 'web shop', expires_at: null, revoked_at: null };
    expect(await listed('api_keys')).toMatchObject({ data: [renamed], has_more: false });
    expect((await post('api_key_changes', { prefix, revoked: true })).statusCode).toBe(204);
    expect((await post('api_key_changes', { prefix, revoked: true })).json()).toMatchObject({ code: 'not_found' });
    expect(JSON.stringify(await listed('api_keys'))).toContain('"revoked_at":"20');

    const identity = `CN=${randomUUID()},O=Acme`;
    expect((await post('client_certificates', { identity, ...grant }, ofOwner)).json()).toMatchObject({
      identity,
      owner,
    });
    const again = await post('client_certificates', { identity, ...grant }, ofOwner);
    expect(again.json()).toMatchObject({ errors: [{ field: 'identity', code: 'taken' }] });
    expect((await post('client_certificate_changes', { identity, name: 'web shop' })).statusCode).toBe(204);
    expect((await post('client_certificate_changes', { identity, revoked: true })).statusCode).toBe(204);
    expect(await listed('client_certificates')).toMatchObject({ data: [{ identity, owner, name: 'web shop' }] });

    const recorded = (await audit(owner)).map(({ action, subject, reason }) => [action, subject, reason]);
    expect(recorded.toReversed()).toEqual([
      ...['create', 'rename', 'revoke'].map((verb) => [`${verb}_api_key`, prefix, 'a ticket']),
      ...['allow', 'rename', 'revoke'].map((verb) => [`${verb}_client_certificate`, identity, 'a ticket']),
    ]);
    const invalid = { scopes: ['none'], expires_at: '2020-01-01T00:00:00Z', name: 'a\nb' };
    expect((await post('api_keys', invalid, ofOwner)).json()).toMatchObject({
      errors: [{ field: 'scopes' }, { field: 'name' }, { field: 'expires_at', code: 'out_of_range' }],
    });
    for (const change of [{ prefix }, { prefix, name: 'a', revoked: true }])
      expect((await post('api_key_changes', change)).json()).toMatchObject({ code: 'validation_failed' });
    expect((await post('client_certificates', { ...grant, identity: 'shop' }, ofOwner)).json()).toMatchObject({
      errors: [{ field: 'identity', code: 'invalid_format' }],
    });
  });

  it('renames an operator, links one again, and ends a session', async () => {
    await signIn('viewer', 'several sessions');
    const id = ids.get('several sessions') ?? '';
    const operator = `/admin/v1/operators/${id}`;
    const headers = as('admin', REASON);
    const rename = { method: 'PATCH', url: operator, payload: { name: 'Grace' } } as const;
    expect((await send({ ...rename, headers })).statusCode).toBe(204);
    expect((await send({ url: '/admin/v1/session', headers: as('several sessions') })).json()).toMatchObject({
      name: 'Grace',
    });
    const linked = await send({ method: 'POST', url: `${operator}/links`, headers });
    const { sign_in_url } = linked.json<{ sign_in_url: string }>();
    const authorization = `Bearer ${sign_in_url.split('=')[1] ?? ''}`;
    const signedIn = await send({ method: 'POST', url: '/admin/v1/sessions', headers: { authorization } });
    expect(signedIn.statusCode).toBe(200);
    const sessions = async () =>
      (await send({ url: `${operator}/sessions`, headers: as('admin') })).json<{ data: { id: string }[] }>().data;
    const [newest, first, ...others] = await sessions();
    expect(others).toEqual([]);
    const end = { method: 'DELETE', url: `/admin/v1/sessions/${first?.id ?? ''}`, headers } as const;
    expect((await send(end)).statusCode).toBe(204);
    expect((await send(end)).statusCode).toBe(404);
    expect((await send({ url: '/admin/v1/session', headers: as('several sessions') })).statusCode).toBe(401);
    expect(await sessions()).toEqual([newest]);
    const [ended, , again, renamed] = await audit(null);
    expect([ended, again, renamed]).toMatchObject([
      { action: 'end_session', subject: first?.id, reason: 'a ticket' },
      { action: 'link_operator', subject: id },
      { action: 'rename_operator', subject: id },
    ]);
  });

  it('comments an order, which owners see with the data of a person alone', async () => {
    const { id, customer_id } = await place();
    const url = `/admin/v1/orders/${id}/comments`;
    const headers = forShop('support', { ...REASON, 'idempotency-key': randomUUID() });
    const comment = (text: unknown) => send({ method: 'POST', url, headers, payload: { text } });
    expect((await comment('')).json()).toMatchObject({ code: 'validation_failed', errors: [{ code: 'too_short' }] });
    const written = await comment(`${MARKER} called`);
    const author = `operator:${ids.get('support') ?? ''}`;
    expect(written.json()).toMatchObject({ author, text: `${MARKER} called` });
    const again = await comment(`${MARKER} called`);
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([written.body, 'true']);
    const data = { url: `/v1/customers/${customer_id}/data` };
    const lines = await send({ ...data, headers: forShop('support') });
    expect(lines.json<{ data: object[] }>().data.at(-1)).toEqual({
      kind: 'order_comment',
      order_id: id,
      ...written.json<object>(),
    });
    const masked = (await send({ ...data, headers: forShop('viewer') })).json<{ data: object[] }>().data.at(-1);
    expect(masked).toMatchObject({ kind: 'order_comment', author, text: null });
    expect((await audit())[1]).toMatchObject({
      action: 'comment_order',
      subject: id,
      reason: 'a ticket',
      actor: author,
    });
  });

  it('corrects the status of an order, with the reason in its history', async () => {
    const { id } = await place();
    const url = `/admin/v1/orders/${id}/corrections`;
    const correct = (status: unknown, more: Readonly<Record<string, string>> = {}) =>
      send({ method: 'POST', url, headers: forShop('admin', { ...REASON, ...more }), payload: { status } });
    const invalid = await correct('lost', { 'if-match': '"1"' });
    expect(invalid.json()).toMatchObject({ code: 'validation_failed', errors: [{ field: 'status' }] });
    expect((await correct('shipped', { 'if-match': '"9-1"' })).json()).toMatchObject({ code: 'precondition_failed' });
    const keyed = { 'idempotency-key': randomUUID() };
    const corrected = await correct('shipped', keyed);
    expect(corrected.json()).toMatchObject({ status: 'shipped', cancelled_at: null, cancel_reason: null, version: 3 });
    const replayed = await correct('shipped', keyed);
    expect([replayed.headers['idempotent-replayed'], replayed.body]).toEqual(['true', corrected.body]);
    expect((await correct('shipped')).json()).toMatchObject({ version: 3 });
    const { body } = await send({ url: `/v1/orders/${id}/versions/3`, headers: forShop('admin') });
    expect(body).toContain('"type":"order.corrected"');
    expect(body).toContain('"reason":"a ticket"');
    const actor = `operator:${ids.get('admin') ?? ''}`;
    const record = { action: 'correct_order', subject: id, reason: 'a ticket', actor };
    expect(await audit()).toContainEqual(expect.objectContaining(record));
  });

  it('creates and revokes operators, which is recorded, and reads what was done', async () => {
    const created = await send({
      method: 'POST',
      url: '/admin/v1/operators',
      headers: as('admin', REASON),
      payload: { name: 'Ada', role: 'viewer' },
    });
    expect(created.statusCode).toBe(200);
    const { id, sign_in_url } = created.json<{ id: string; sign_in_url: string }>();
    expect(sign_in_url).toMatch(/^http:\/\/127\.0\.0\.1:0\/#sign-in=ops_[\w-]{43}$/);
    for (const hidden of ['a\u009Bb', 'a\u202Eb', 'a\u2069b']) {
      const post = { method: 'POST', url: '/admin/v1/operators', payload: { name: hidden, role: 'viewer' } } as const;
      const byName = await send({ ...post, headers: as('admin', REASON) });
      expect(byName.json()).toMatchObject({ code: 'validation_failed', errors: [{ field: 'name' }] });
      const byReason = await send({ ...post, headers: as('admin', { 'orders-reason': encodeURIComponent(hidden) }) });
      expect(byReason.json()).toMatchObject({ code: 'invalid_header' });
    }
    const revoke = { method: 'DELETE', url: `/admin/v1/operators/${id}`, headers: as('admin', REASON) } as const;
    expect((await send(revoke)).statusCode).toBe(204);
    expect((await send(revoke)).statusCode).toBe(404);
    const { data } = (await send({ url: '/admin/v1/operators', headers: as('admin') })).json<{
      data: { id: string }[];
    }>();
    expect(data).toContainEqual(expect.objectContaining({ id, name: 'Ada', role: 'viewer', sessions: 0 }));
    const list = async (role: string, query = '') =>
      (await send({ url: `/admin/v1/audit${query}`, headers: as(role) })).json<{
        data: { action: string; reason: string | null }[];
      }>().data;
    const [last, first] = await list('admin', '?limit=2');
    expect([last, first]).toMatchObject([
      { action: 'revoke_operator', subject: id, owner: null, reason: 'a ticket' },
      { action: 'create_operator', subject: id, owner: null, reason: 'a ticket' },
    ]);
    expect((await list('viewer')).map(({ reason }) => reason).filter((reason) => reason !== null)).toEqual([]);
  });
});

describe('a job', () => {
  const post = async (role: string, url: string, payload?: object) =>
    await send({ method: 'POST', url, headers: as(role, REASON), ...(payload && { payload }) });

  it('counts and acts on what matches a filter, for those whose role may do so', async () => {
    await place();
    const redeliver = { kind: 'redeliver', filter: { owner: 'shop' }, dry_run: true };
    const cancel = { kind: 'cancel', filter: { statuses: ['pending'] }, dry_run: true };
    const created = await post('support', '/admin/v1/jobs', redeliver);
    const job = created.json<{ id: string }>();
    expect(job).toMatchObject({
      kind: 'redeliver',
      filter: { status: 'failed' },
      status: 'counting',
      reason: 'a ticket',
    });
    expect((await post('support', '/admin/v1/jobs', cancel)).json()).toMatchObject({ required_scope: 'admin' });
    const ofAdmin = (await post('admin', '/admin/v1/jobs', cancel)).json<{ id: string }>();
    for (const verb of ['start', 'cancel'])
      expect((await post('support', `/admin/v1/jobs/${ofAdmin.id}/${verb}`)).json()).toMatchObject({
        required_scope: 'admin',
      });
    await runJobs(server.database);
    const counted = await send({ url: `/admin/v1/jobs/${job.id}`, headers: as('viewer') });
    expect(counted.json()).toMatchObject({ status: 'counted', matched: 0, reason: null });
    const started = (await post('admin', `/admin/v1/jobs/${job.id}/start`)).json<{ actor: string }>();
    expect(started).toMatchObject({ status: 'running', actor: `operator:${ids.get('admin') ?? ''}` });
    expect((await audit())[0]).toMatchObject({ action: 'start_job', subject: job.id, actor: started.actor });
    expect((await post('admin', `/admin/v1/jobs/${ofAdmin.id}/cancel`)).json()).toMatchObject({ status: 'cancelled' });
    const { data } = (await send({ url: '/admin/v1/jobs?limit=1', headers: as('viewer') })).json<{
      data: { id: string }[];
    }>();
    expect(data).toMatchObject([{ id: ofAdmin.id, reason: null }]);
    const before = await send({ url: `/admin/v1/jobs?before=${ofAdmin.id}`, headers: as('viewer') });
    expect(before.json()).toMatchObject({ data: [{ id: job.id }] });
    expect((await send({ url: `/admin/v1/jobs/${randomUUID()}`, headers: as('viewer') })).statusCode).toBe(404);
  });

  it.each([
    [{ kind: 'gone', filter: { email: MARKER } }, ['kind', 'filter.email']],
    [{ kind: 'redeliver', filter: { status: 'delivered' } }, ['filter.from', 'filter.before']],
    [
      { kind: 'redeliver', filter: { status: 'pending', endpoint_id: '1', from: 'today', owner: '' } },
      ['filter.status', 'filter.endpoint_id', 'filter.from', 'filter.owner'],
    ],
    [
      {
        kind: 'cancel',
        filter: {
          statuses: ['gone'],
          created_at_from: '2026-01-02T00:00:00Z',
          created_at_before: '2026-01-01T00:00:00Z',
        },
      },
      ['filter.statuses', 'filter.created_at_before'],
    ],
    [{ kind: 'cancel', filter: [], dry_run: 1 }, ['dry_run', 'filter']],
  ])('rejects %j', async (payload, fields) => {
    const { errors } = (await post('admin', '/admin/v1/jobs', payload)).json<{ errors: { field: string }[] }>();
    expect(errors.map(({ field }) => field)).toEqual(fields);
  });
});

describe('webhooks of all owners', () => {
  it('are listed by pages without what follows the host of a URL', async () => {
    const key = await server.issueKey('shop');
    const payload = { url: `https://example.com/${MARKER}` };
    const created = await server.app.inject({
      method: 'POST',
      url: '/v1/webhook_endpoints',
      headers: { 'x-api-key': key },
      payload,
    });
    expect(created.statusCode).toBe(201);
    const list = async (url: string, more = {}) => (await send({ url, headers: as('viewer', more) })).json<object>();
    expect(await list('/admin/v1/webhook_endpoints')).toMatchObject({
      data: [{ owner: 'shop', url: 'https://example.com/', pending: 0 }],
      page: { has_more: false, next_cursor: null },
      owners: { looked_at: 1, all: 1, passed_over: [] },
    });
    expect(await list('/admin/v1/webhook_endpoints', { 'orders-owner': 'other' })).toMatchObject({ data: [] });
    expect(await list('/admin/v1/deliveries?status=failed')).toMatchObject({ data: [], page: { next_cursor: null } });
    const invalid = '/admin/v1/deliveries?status=gone&endpoint_id=1&occurred_at_from=today';
    expect(await list(invalid)).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ field: 'endpoint_id' }, { field: 'status' }, { field: 'occurred_at_from' }],
    });
    expect(await list('/admin/v1/deliveries?after=x')).toMatchObject({ code: 'invalid_cursor' });
  });
});
