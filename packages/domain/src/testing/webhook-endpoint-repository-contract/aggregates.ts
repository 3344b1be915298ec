import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { WebhookEndpointEvent } from '../../webhooks/endpoint-kind.ts';
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import type { TooManyEndpoints } from '../../webhooks/webhook-errors.ts';
import { parsePageQuery } from '../../shared/page-query.ts';
import type { AggregateFixtures } from '../aggregate-store-contract/subject.ts';
import { aCustomer, anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { succeeds } from '../contract-subject.ts';
import { storeEndpoint } from '../endpoint-writes.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { StoreBench } from '../store-bench.ts';
import type { WebhookEndpointSubject } from './subject.ts';

/**
 * Returns the webhook endpoints for the contract of every store. Their changes disable them, because only that is
 * published.
 */
export function endpointAggregates(
  fixtures: OrderFixtures,
): AggregateFixtures<
  WebhookEndpoint<OrderDefinition>,
  WebhookEndpointEvent,
  TooManyEndpoints,
  WebhookEndpointSubject<OrderDefinition>
> {
  return {
    kind: 'webhook endpoints',
    storeOf: ({ webhookEndpoints }) => webhookEndpoints,
    anAggregate: (members) => aWebhookEndpoint({ ...members, include: ['resource'] }),
    named: () => aWebhookEndpoint(),
    next: (before, description) => ({
      ...before,
      description,
      status: 'disabled',
      disabled_reason: 'requested',
      version: before.version + 1,
      updated_at: '2026-01-02T03:05:00.000Z',
    }),
    eventOf: (owner, after) =>
      anEventOfEndpoint(owner, after, {
        type: after.version === 1 ? 'webhook_endpoint.created' : 'webhook_endpoint.disabled',
        changed: ['status'],
        actor: 'client:web',
      }),
    deletionOf: (owner, before) => anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' }),
    isPublished: ({ type }) => type === 'webhook_endpoint.disabled',
    list: ({ webhookEndpoints }, owner, query) => webhookEndpoints.list(owner, parsePageQuery(query)._unsafeUnwrap()),
    erases: true,
    spoil: ({ secrets }) => Object.assign(secrets[0] ?? {}, { key: 'stolen' }),
    refusesChanges: false,
    refusal: async (subject, owner) => {
      const query = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;
      const { data } = await succeeds(subject.webhookEndpoints.list(owner, query));
      for (let count = data.length; count < WEBHOOK_ENDPOINTS_MAX; count += 1)
        await storeEndpoint(subject.webhookEndpoints, owner);
      return { created: aWebhookEndpoint(), reason: { type: 'too_many_endpoints' } };
    },
    storeOther: async (subject, owner, key) =>
      (await new StoreBench(fixtures, subject, owner).storeCustomer(aCustomer(), key)).id,
  };
}
