import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { postgresOperators } from '@orders/persistence';
import { anOperatorListener, BY, MARKER, ORDER, REASON } from './operator-listener.ts';

const { send, as, forShop, signIn, place, idOf, audit, running } = anOperatorListener();

describe('an operator who acts for an owner', () => {
  it('is the actor of the change, which is recorded with it and the reason', async () => {
    const { id } = await place();
    const { url, headers } = { url: `/v1/orders/${id}/versions`, headers: forShop('viewer') };
    const actor = `operator:${idOf('support')}`;
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
      expect((await audit())[0]).toMatchObject({ action, subject, actor: `operator:${idOf('support')}` });
    }
    expect((await audit()).length).toBe(before + reveals.length);
  });

  it('searches by email only by a role that may, and without personal data, once it is recorded', async () => {
    await place();
    const { email } = ORDER.buyer;
    for (const [url, payload, action, owner] of [
      ['/v1/order_searches', { buyer_email: email }, 'search_orders', 'shop'],
      ['/v1/customer_searches', { email }, 'search_customers', 'shop'],
      ['/admin/v1/order_searches', { buyer_email: email }, 'search_all_orders', null],
    ] as const) {
      const search = (role: string) => {
        const headers = as(role, { ...(owner && { 'orders-owner': owner }), 'orders-reason': 'ticket' });
        return send({ method: 'POST', url, headers, payload });
      };
      expect((await search('viewer')).json()).toMatchObject({ code: 'insufficient_scope' });
      const found = await search('support');
      expect([url, found.statusCode, found.body.includes(MARKER)]).toEqual([url, 200, false]);
      expect((await audit(owner))[0]).toMatchObject({ action, owner, subject: null, reason: null });
    }
  });

  it('waits for events no longer than the session goes on', async () => {
    await signIn('support', 'waiting');
    const headers = forShop('waiting');
    const url = '/v1/events?start=latest&include=resource&wait=20';
    const waiting = send({ url, headers });
    // The same session was looked up for the one before, too.
    expect((await send({ url: '/admin/v1/session', headers: as('waiting') })).statusCode).toBe(200);
    const at = new Date().toISOString();
    (await postgresOperators(running().database).revoke(idOf('waiting'), at, BY))._unsafeUnwrap();
    await place();
    const ended = await waiting;
    expect([ended.statusCode, ended.body.includes(MARKER)]).toEqual([401, false]);
    expect(
      (await audit()).filter(({ action, actor }) => action === 'list_events' && actor.endsWith(idOf('waiting'))),
    ).toEqual([]);
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
      running().database.primary.run(`alter table orders.${from} rename to ${to}`);
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
      // It may be about the person whose order the event is of.
      ['redeliver_webhook_event', null],
    ]);
    const remove = { method: 'DELETE', url: one, headers: forShop('admin', REASON) } as const;
    expect((await send(remove)).statusCode).toBe(204);
    expect((await audit())[0]).toMatchObject({ action: 'delete_webhook_endpoint', subject: id, reason: 'a ticket' });
  });

  it('neither reads nor changes what cannot be recorded', async () => {
    const { id } = await place();
    const { customer_id } = await place();
    const payload = { email: `${randomUUID()}@example.com` };
    const alone = await send({ method: 'POST', url: '/v1/customers', headers: forShop('support', REASON), payload });
    const rename = (from: string, to: string) =>
      running().database.primary.run(`alter table orders.${from} rename to ${to}`);
    await rename('owner_audit', 'gone');
    try {
      const seen = await send({ url: `/v1/orders/${id}`, headers: forShop('support') });
      expect([seen.statusCode, seen.body.includes(MARKER)]).toEqual([503, false]);
      const url = `/v1/customers/${customer_id}`;
      const headers = forShop('support', { ...REASON, 'content-type': 'application/merge-patch+json' });
      const changed = await send({ method: 'PATCH', url, headers, payload: JSON.stringify({ name: 'changed' }) });
      expect(changed.statusCode).toBe(503);
      // The deletion itself empties the reasons about the order.
      for (const path of [`orders/${id}`, `customers/${alone.json<{ id: string }>().id}`]) {
        const deleted = await send({ method: 'DELETE', url: `/v1/${path}`, headers: forShop('support', REASON) });
        expect([path, deleted.statusCode]).toEqual([path, 503]);
      }
      await rename('operator_audit', 'gone_too');
      const ofNone = { method: 'DELETE', url: `/admin/v1/operators/${idOf('viewer')}` } as const;
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

describe('webhooks of all owners', () => {
  it('are listed by pages without what follows the host of a URL', async () => {
    const key = await running().issueKey('shop');
    const payload = { url: `https://example.com/${MARKER}` };
    const created = await running().app.inject({
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
