import { describe, expect, it } from 'vitest';
import { fails, invalidFields, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';
import { anEndpoint, aWebhooks, feedOf, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';
import { aSubject } from '../aggregates/written-kinds.ts';

const SUPERSEDED = { type: 'secret_superseded' };

describe('a rotation of the secret of an endpoint', () => {
  it('makes a new secret of the newest key, and keeps the one before for a day', async () => {
    const webhooks = aWebhooks();
    const before = await anEndpoint(webhooks);
    webhooks.useKey('key-2');
    webhooks.clock.advance(1000);
    const written = await succeeds(webhooks.rotateSecret(OWNER, before.id, undefined, { actor: 'client:web' }));
    expect(written.endpoint).toEqual({
      ...before,
      secrets: [
        { serial: 2, key: 'key-2', expires_at: null },
        { serial: 1, key: 'key-1', expires_at: '2026-01-03T03:04:06.678Z' },
      ],
      version: 2,
      updated_at: '2026-01-02T03:04:06.678Z',
    });
    expect(written.secret).toBe(`whsec_${OWNER}/${before.id}/2/key-2`);
    expect(written.event).toMatchObject({
      type: 'webhook_endpoint.secret_rotated',
      changed: ['secrets'],
      actor: 'client:web',
    });
    expect(await succeeds(webhooks.getEndpoint(OWNER, before.id))).toEqual(written.endpoint);
    expect(await feedOf(webhooks)).toEqual([]);
  });

  it('leaves at most two secrets: another one ends the oldest', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    await succeeds(webhooks.rotateSecret(OWNER, id));
    const { endpoint } = await succeeds(webhooks.rotateSecret(OWNER, id, { overlap_seconds: 60 }));
    expect(endpoint.secrets).toEqual([
      { serial: 3, key: 'key-1', expires_at: null },
      { serial: 2, key: 'key-1', expires_at: '2026-01-02T03:05:05.678Z' },
    ]);
  });

  it('ends all older secrets at once without an overlap', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    await succeeds(webhooks.rotateSecret(OWNER, id));
    const { endpoint } = await succeeds(webhooks.rotateSecret(OWNER, id, { overlap_seconds: 0 }));
    expect(endpoint.secrets).toEqual([{ serial: 3, key: 'key-1', expires_at: null }]);
  });

  it('takes the time of the clock for the overlap, also when it runs backwards', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    webhooks.clock.advance(-60_000);
    const { endpoint } = await succeeds(webhooks.rotateSecret(OWNER, id, { overlap_seconds: 1 }));
    expect([endpoint.secrets[1]?.expires_at, endpoint.updated_at]).toEqual(['2026-01-02T03:03:06.678Z', NOW]);
  });

  it.each([
    [{ overlap_seconds: -1 }, 'overlap_seconds: out_of_range'],
    [{ overlap_seconds: 604_801 }, 'overlap_seconds: out_of_range'],
    [{ overlap_seconds: 1.5 }, 'overlap_seconds: wrong_type'],
    [{ overlap_seconds: '60' }, 'overlap_seconds: wrong_type'],
    [{ overlap: 60 }, 'overlap: unknown_field'],
    [[], ': wrong_type'],
  ])('is rejected for %j', async (input, field) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    expect(await fails(webhooks.rotateSecret(OWNER, endpoint.id, input))).toMatchObject(invalidFields(field));
    expect(await succeeds(webhooks.getEndpoint(OWNER, endpoint.id))).toEqual(endpoint);
  });

  it('accepts seven days, and null as the default', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const expiryOf = async (overlap_seconds: number | null) =>
      (await succeeds(webhooks.rotateSecret(OWNER, id, { overlap_seconds }))).endpoint.secrets[1]?.expires_at;
    expect(await expiryOf(604_800)).toBe('2026-01-09T03:04:05.678Z');
    expect(await expiryOf(null)).toBe('2026-01-03T03:04:05.678Z');
  });
});

describe('the secret of a replayed write', () => {
  it('is that of the first response, until a rotation', async () => {
    const webhooks = aWebhooks();
    const create = () => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }, { idempotencyKey: 'create' });
    const created = await succeeds(create());
    const { id } = created.endpoint;
    await succeeds(webhooks.changeEndpoint(OWNER, id, { description: 'changed since' }));
    webhooks.useKey('key-2');
    expect(await succeeds(create())).toEqual({ ...created, event: null, replayed: true });
    const rotate = (idempotencyKey: string) => webhooks.rotateSecret(OWNER, id, {}, { idempotencyKey });
    const rotated = await succeeds(rotate('first'));
    expect(await fails(create())).toEqual(SUPERSEDED);
    expect(await succeeds(rotate('first'))).toEqual({ ...rotated, event: null, replayed: true });
    await succeeds(rotate('second'));
    expect(await fails(rotate('first'))).toEqual(SUPERSEDED);
    expect((await succeeds(rotate('second'))).secret).toBe(`whsec_${OWNER}/${id}/3/key-2`);
  });

  it('is not returned once the endpoint was deleted', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const rotate = () => webhooks.rotateSecret(OWNER, id, {}, { idempotencyKey: 'k' });
    await succeeds(rotate());
    await succeeds(webhooks.deleteEndpoint(OWNER, id));
    expect(await fails(rotate())).toEqual({ type: 'webhook_endpoint_not_found', id });
  });

  it('is not returned when the endpoint is deleted before it is read', async () => {
    const subject = await aSubject('webhook_endpoint', { lookUpFirst: false, lockFirst: false });
    const create = () => subject.create('new', { idempotencyKey: 'k' });
    const { id } = await succeeds(create());
    subject.before('load', () => subject.elsewhere.remove(id ?? ''));
    expect(await fails(create())).toEqual({ type: 'webhook_endpoint_not_found', id });
  });

  it('needs the same overlap', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const rotate = (overlap_seconds: number | null) =>
      webhooks.rotateSecret(OWNER, id, { overlap_seconds }, { idempotencyKey: 'k' });
    await succeeds(rotate(null));
    expect((await succeeds(rotate(86_400))).replayed).toBe(true);
    expect(await fails(rotate(60))).toEqual({ type: 'idempotency_key_reused' });
  });
});
