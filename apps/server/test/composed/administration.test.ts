import { hash, randomUUID } from 'node:crypto';
import { newSignInToken } from '@orders/http-adapter/settings';
import { postgresOperators, runJobs } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anOperatorListener, BY, MARKER, ORDER, REASON } from './operator-listener.ts';

const { send, as, forShop, signIn, place, idOf, audit, running } = anOperatorListener();

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
    await running().readOwnerSettings();
    return changed;
  };
  it('has limits of its own in place of those of the server, until an admin ends them', async () => {
    const key = await running().issueKey('limited');
    const policyOf = async () => {
      const { headers } = await running().app.inject({ url: '/v1/orders', headers: { 'x-api-key': key } });
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
    const key = await running().issueKey('shop');
    const asShop = async () => (await running().app.inject({ url: '/v1/orders', headers: { 'x-api-key': key } })).body;
    await changeOwner({ owner: 'shop', suspended: true });
    expect(await asShop()).toContain('"code":"owner_suspended"');
    const other = await running().issueKey('other');
    expect((await running().app.inject({ url: '/v1/orders', headers: { 'x-api-key': other } })).statusCode).toBe(200);
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
    const key = await running().issueKey('without events');
    for (const [status, url] of [
      [200, '/v1/orders'],
      [404, `/v1/orders/${randomUUID()}`],
    ] as const)
      expect((await running().app.inject({ url, headers: { 'x-api-key': key } })).statusCode).toBe(status);
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
    const use = () => running().app.inject({ url: '/v1/orders', headers: { 'x-api-key': key } });
    expect((await use()).statusCode).toBe(200);
    expect((await post('api_key_changes', { prefix, name: 'web shop' })).statusCode).toBe(204);
    const renamed = { prefix, owner, scopes: grant.scopes, name: 'web shop', expires_at: null, revoked_at: null };
    expect(await listed('api_keys')).toMatchObject({ data: [renamed], page: { has_more: false } });
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

  it('reads owners, operators, sessions and credentials by pages, and from no cursor that is made up', async () => {
    for (const owner of ['one', 'two']) {
      const headers = as('support', { ...REASON, 'orders-owner': owner });
      await send({ method: 'POST', url: '/v1/orders', headers, payload: ORDER });
    }
    await running().issueKey('paged');
    await running().issueKey('paged');
    await signIn('viewer', 'paged');
    const { token, ...link } = newSignInToken(new Date());
    (await postgresOperators(running().database).link(idOf('paged'), link, BY))._unsafeUnwrap();
    await send({ method: 'POST', url: '/admin/v1/sessions', headers: { authorization: `Bearer ${token}` } });
    for (const list of ['owners', 'operators', `operators/${idOf('paged')}/sessions`, 'api_keys']) {
      const read = async (after: string) =>
        (await send({ url: `/admin/v1/${list}?limit=1${after}`, headers: as('admin') })).json<{
          data: readonly object[];
          page: { has_more: boolean; next_cursor: string };
        }>();
      const { data, page } = await read('');
      const next = await read(`&after=${page.next_cursor}`);
      expect([list, data.length, next.data.length, page.has_more]).toEqual([list, 1, 1, true]);
      expect(next.data).not.toEqual(data);
      const parts = z.array(z.unknown()).parse(JSON.parse(Buffer.from(page.next_cursor, 'base64url').toString()));
      for (const value of ['', '\0', ...(list === 'owners' ? [] : ['2026-02-30T00:00:00.000Z'])]) {
        const other = [...parts.slice(0, 4), value, parts[5]];
        const digest = hash('sha256', JSON.stringify(other), 'base64url').slice(0, 11);
        const after = Buffer.from(JSON.stringify([...other, digest])).toString('base64url');
        expect(await read(`&after=${after}`)).toMatchObject({ code: 'invalid_cursor' });
      }
    }
  });

  it('renames an operator, links one again, and ends a session', async () => {
    await signIn('viewer', 'several sessions');
    const id = idOf('several sessions');
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
    const author = `operator:${idOf('support')}`;
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
    const actor = `operator:${idOf('admin')}`;
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
    await runJobs(running().database);
    const counted = await send({ url: `/admin/v1/jobs/${job.id}`, headers: as('viewer') });
    expect(counted.json()).toMatchObject({ status: 'counted', matched: 0, reason: null });
    const started = (await post('admin', `/admin/v1/jobs/${job.id}/start`)).json<{ actor: string }>();
    expect(started).toMatchObject({ status: 'running', actor: `operator:${idOf('admin')}` });
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
    [
      { kind: 'cancel', filter: { buyer_email: MARKER, lookup: 'own.name:Ada', total_from: 2, total_to: 1 } },
      ['filter.buyer_email', 'filter.lookup', 'filter.currency', 'filter.currency', 'filter.total_to'],
    ],
    [{ kind: 'cancel', filter: [], dry_run: 1 }, ['dry_run', 'filter']],
  ])('rejects %j', async (payload, fields) => {
    const { errors } = (await post('admin', '/admin/v1/jobs', payload)).json<{ errors: { field: string }[] }>();
    expect(errors.map(({ field }) => field)).toEqual(fields);
  });
});
