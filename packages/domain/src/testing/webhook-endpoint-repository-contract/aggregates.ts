import type { WebhookEndpointEvent } from '../../webhooks/endpoint-kind.ts';
import { type AnyEndpoint, WEBHOOK_ENDPOINTS_MAX } from '../../webhooks/webhook-endpoint.ts';
import type { TooManyEndpoints } from '../../webhooks/webhook-errors.ts';
import { parsePageQuery } from '../../shared/page-query.ts';
import type { AggregateFixtures } from '../aggregate-store-contract/subject.ts';
import { anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { succeeds } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

/**
 * Returns the webhook endpoints for the contract of every store. The events of their changes are those of a disabled one,
 * because only that is published.
 */
export function endpointAggregates(
  fixtures: OrderFixtures,
): AggregateFixtures<AnyEndpoint, WebhookEndpointEvent, TooManyEndpoints> {
  return {
    kind: 'webhook endpoints',
    of: (bench) => {
      const { owner } = bench;
      const { store } = bench.endpoints;
      return {
        store,
        list: (query) => store.list(owner, parsePageQuery(query)._unsafeUnwrap()),
        violations: {
          too_many_endpoints: async () => {
            const { data } = await succeeds(store.list(owner, parsePageQuery({ limit: 100 })._unsafeUnwrap()));
            for (let count = data.length; count < WEBHOOK_ENDPOINTS_MAX; count += 1) await bench.endpoints.stored();
            return { reason: { type: 'too_many_endpoints' } };
          },
        },
        storeOther: async (key) => (await bench.customers.stored(undefined, key)).id,
      };
    },
    rules: { create: ['too_many_endpoints'], change: [], delete: [] },
    anAggregate: (members) =>
      aWebhookEndpoint({
        url: 'https://receiver.example/events?a=%C3%A9&b=“c”',
        types: [fixtures.advanced, 'webhook_endpoint.disabled'],
        include: ['resource'],
        description: 'Zoë’s “shop” 🎁',
        secrets: [
          { serial: 2, key: 'key-2', expires_at: null },
          { serial: 1, key: 'key-1', expires_at: '2026-01-03T00:00:00.000Z' },
        ],
        start: Number.MAX_SAFE_INTEGER,
        ...members,
      }),
    named: () => aWebhookEndpoint(),
    next: (before, description) => {
      const isEnabled = before.status === 'enabled';
      return {
        ...before,
        url: 'https://other.example/',
        types: isEnabled ? null : [fixtures.advanced],
        include: [],
        description,
        status: isEnabled ? 'disabled' : 'enabled',
        disabled_reason: isEnabled ? 'gone' : null,
        secrets: [{ serial: 3, key: 'key-3', expires_at: null }],
        version: before.version + 1,
        updated_at: '2026-01-02T03:05:00.000Z',
      };
    },
    eventOf: (owner, after) =>
      anEventOfEndpoint(owner, after, {
        type: after.version === 1 ? 'webhook_endpoint.created' : 'webhook_endpoint.disabled',
        changed: ['status'],
        actor: 'client:web',
      }),
    deletionOf: (owner, before) => anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' }),
    isPublished: ({ type }) => type === 'webhook_endpoint.disabled',
    erases: true,
    spoil: ({ secrets }) => Object.assign(secrets[0] ?? {}, { key: 'stolen' }),
  };
}
