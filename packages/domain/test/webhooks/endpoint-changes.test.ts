import { EVENT_TYPES } from '@orders/domain/events';
import { describe, expect, it } from 'vitest';
import { fails, invalidFields, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';
import { anEndpoint, aWebhooks, feedOf, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

const LATER = '2026-01-02T03:04:06.678Z';

describe('a change of a webhook endpoint', () => {
  it.each([
    ['url', 'https://other.example/'],
    ['types', ['order.paid']],
    ['include', ['resource']],
    ['description', 'Shop'],
  ])('sets %s to %j and changes no other field', async (field, value) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    webhooks.clock.advance(1000);
    const changed = await succeeds(webhooks.changeEndpoint(OWNER, endpoint.id, { [field]: value }));
    expect(changed.endpoint).toEqual({ ...endpoint, [field]: value, version: 2, updated_at: LATER });
    expect(changed.event).toMatchObject({ type: 'webhook_endpoint.changed', version: 2, changed: [field] });
    expect(await feedOf(webhooks)).toEqual([]);
  });

  it('removes types, additions and description by null', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks, { types: ['order.paid'], include: ['resource'], description: 'd' });
    const patch = { types: null, include: null, description: null };
    const { endpoint } = await succeeds(webhooks.changeEndpoint(OWNER, id, patch));
    expect(endpoint).toMatchObject({ types: null, include: [], description: null, version: 2 });
  });

  it.each([
    [{}],
    [{ url: URL_OF_RECEIVER, types: ['order.paid', 'order.placed'], description: undefined }],
    [{ status: 'enabled', include: null }],
  ])('keeps the version and records no event for %j', async (patch) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks, { types: ['order.placed', 'order.paid'] });
    const unchanged = { endpoint, event: null, replayed: false };
    expect(await succeeds(webhooks.changeEndpoint(OWNER, endpoint.id, patch))).toEqual(unchanged);
  });

  it('distinguishes every type from a list of all known ones', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    const { endpoint } = await succeeds(webhooks.changeEndpoint(OWNER, id, { types: EVENT_TYPES }));
    expect(endpoint).toMatchObject({ types: EVENT_TYPES, version: 2 });
  });

  it('never lets updated_at run backwards', async () => {
    const webhooks = aWebhooks();
    const { id } = await anEndpoint(webhooks);
    webhooks.clock.advance(-60_000);
    const { endpoint } = await succeeds(webhooks.changeEndpoint(OWNER, id, { description: 'd' }));
    expect(endpoint.updated_at).toBe(NOW);
  });

  it.each([
    [{ url: null }, 'url: required'],
    [{ url: 'http://a' }, 'url: invalid_value'],
    [{ types: [] }, 'types: invalid_value'],
    [{ include: ['all'] }, 'include[0]: invalid_value'],
    [{ description: '' }, 'description: too_short'],
    [{ status: null }, 'status: required'],
    [{ status: 'paused' }, 'status: invalid_value'],
    [{ disabled_reason: 'gone' }, 'disabled_reason: read_only'],
    [{ version: 2 }, 'version: read_only'],
    [{ created_at: NOW }, 'created_at: read_only'],
    [{ updated_at: NOW }, 'updated_at: read_only'],
    [{ start: 0 }, 'start: unknown_field'],
    ['url', ': wrong_type'],
  ])('is rejected for %j', async (patch, field) => {
    const webhooks = aWebhooks();
    const endpoint = await anEndpoint(webhooks);
    expect(await fails(webhooks.changeEndpoint(OWNER, endpoint.id, patch))).toMatchObject(invalidFields(field));
    expect(await succeeds(webhooks.getEndpoint(OWNER, endpoint.id))).toEqual(endpoint);
  });
});
