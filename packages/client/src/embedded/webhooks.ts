import type { OrderDefinition } from '@orders/domain';
import { presentEndpoint } from '@orders/domain/events';
import {
  type SecretWritten,
  untypedWebhooks,
  type WebhookEndpointWritten,
  type Webhooks as UseCases,
} from '@orders/domain/webhooks';
import { listing } from '../listing.ts';
import type { Webhooks } from '../webhooks.ts';
import { type AnyDefinition, create, type OwnerContext, read, write } from './calls.ts';
import { decodeNumber, decodeText, toPage } from './pages.ts';

/** Binds the use cases of webhooks to one owner. */
export function webhooksOf(context: OwnerContext, useCases: UseCases<OrderDefinition>): Webhooks<AnyDefinition> {
  const { owner } = context;
  const webhooks = untypedWebhooks(useCases);
  const written = ({ endpoint }: WebhookEndpointWritten<OrderDefinition>) => ({ endpoint: presentEndpoint(endpoint) });
  const withSecret = ({ endpoint, secret }: SecretWritten<OrderDefinition>) => ({
    endpoint: presentEndpoint(endpoint),
    secret,
  });
  return {
    create: (input, options = {}) =>
      create(context, options, (rest) => webhooks.createEndpoint(owner, input, rest), withSecret),
    get: (id, options = {}) => read(options, () => webhooks.getEndpoint(owner, id).map(presentEndpoint)),
    list: (query = {}) =>
      listing(
        ({ signal, after, ...rest }) =>
          read({ signal }, () =>
            webhooks
              .listEndpoints(owner, { ...rest, after: decodeText(after) })
              .map((page) => toPage(page, presentEndpoint)),
          ),
        query,
      ),
    change: (id, patch, options = {}) =>
      write(context, options, (rest) => webhooks.changeEndpoint(owner, id, patch, rest), written),
    delete: (id, options = {}) =>
      write(
        context,
        options,
        (rest) => webhooks.deleteEndpoint(owner, id, rest),
        () => ({}),
      ),
    rotateSecret: (id, input = {}, options = {}) =>
      write(context, options, (rest) => webhooks.rotateSecret(owner, id, input, rest), withSecret),
    test: (id, options = {}) =>
      read(options, () =>
        webhooks.testEndpoint(owner, id).map(({ retryAfterMs: _retryAfterMs, ...attempt }) => attempt),
      ),
    deliveries: (id, query = {}) =>
      listing(
        ({ signal, after, ...rest }) =>
          read({ signal }, () =>
            webhooks
              .listDeliveries(owner, id, { ...rest, before: decodeNumber(after)?.value })
              .map((page) => toPage(page, (delivery) => delivery)),
          ),
        query,
      ),
    redeliver: (id, eventId, options = {}) => read(options, () => webhooks.redeliver(owner, id, { event_id: eventId })),
  };
}
