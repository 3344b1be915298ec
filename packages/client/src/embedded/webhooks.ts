import type { OrderDefinition } from '@orders/domain';
import { presentEndpoint } from '@orders/domain/events';
import {
  type SecretWritten,
  untypedWebhooks,
  type WebhookEndpointWritten,
  type Webhooks as UseCases,
} from '@orders/domain/webhooks';
import { asSent } from '../calls/json.ts';
import type { Webhooks } from '../webhooks.ts';
import { type AnyDefinition, create, list, nothing, type OwnerContext, read, unchanged, write } from './calls.ts';
import { numberCursors, sorted, textCursors } from './pages.ts';

/** Binds the use cases of webhooks to one owner. */
export function webhooksOf(context: OwnerContext, useCases: UseCases<OrderDefinition>): Webhooks<AnyDefinition> {
  const { owner } = context;
  const webhooks = untypedWebhooks(useCases);
  const written = ({ endpoint }: WebhookEndpointWritten) => ({ endpoint: presentEndpoint(endpoint) });
  const withSecret = ({ endpoint, secret }: SecretWritten) => ({
    endpoint: presentEndpoint(endpoint),
    secret,
  });
  return {
    create: (input, options = {}) =>
      create(context, options, (rest) => webhooks.createEndpoint(owner, asSent(input), rest), withSecret),
    get: (id, options = {}) => read(options, () => webhooks.getEndpoint(owner, id).map(presentEndpoint)),
    list: (query = {}) =>
      list(
        textCursors(sorted('webhook_endpoints', query)),
        query,
        (rest) => webhooks.listEndpoints(owner, rest),
        presentEndpoint,
      ),
    change: (id, patch, options = {}) =>
      write(context, options, (rest) => webhooks.changeEndpoint(owner, id, asSent(patch), rest), written),
    delete: (id, options = {}) => write(context, options, (rest) => webhooks.deleteEndpoint(owner, id, rest), nothing),
    rotateSecret: (id, input = {}, options = {}) =>
      write(context, options, (rest) => webhooks.rotateSecret(owner, id, asSent(input), rest), withSecret),
    test: (id, options = {}) =>
      read(options, () =>
        webhooks.testEndpoint(owner, id).map(({ retryAfterMs: _retryAfterMs, ...attempt }) => attempt),
      ),
    deliveries: (id, query = {}) =>
      list(numberCursors('deliveries'), query, (rest) => webhooks.listDeliveries(owner, id, rest), unchanged),
    redeliver: (id, eventId, options = {}) =>
      read(options, () => webhooks.redeliver(owner, id, asSent({ event_id: eventId }))),
  };
}
