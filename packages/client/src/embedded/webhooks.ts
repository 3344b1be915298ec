import type { OrderDefinition as D } from '@orders/domain';
import type {
  SecretWritten,
  UntypedWebhooks,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWritten,
} from '@orders/domain/webhooks';
import { createAs, type OwnerContext, readAs, writeAs } from './calls.ts';
import type { OwnerEndpoint, OwnerWebhooks } from './client.ts';
import type { OwnerErrors } from './errors.ts';
import { decodeNumber, decodeText, listingOf, type OwnerPage, toOwnerPage } from './pages.ts';

/** Returns a webhook endpoint as the API has it. */
export function presentEndpoint({
  secrets: _secrets,
  start: _start,
  ...endpoint
}: WebhookEndpoint<D>): OwnerEndpoint<D> {
  return endpoint;
}

/** Binds the use cases of webhooks to one owner. */
export function webhooksOf(context: OwnerContext, webhooks: UntypedWebhooks<D>): OwnerWebhooks<D> {
  const { owner } = context;
  const written = ({ endpoint }: WebhookEndpointWritten<D>) => ({ endpoint: presentEndpoint(endpoint) });
  const withSecret = ({ endpoint, secret }: SecretWritten<D>) => ({ endpoint: presentEndpoint(endpoint), secret });
  return {
    create: (input, options = {}) =>
      createAs(context, options, (rest) => webhooks.createEndpoint(owner, input, rest), withSecret),
    get: (id, options = {}) => readAs(options, () => webhooks.getEndpoint(owner, id).map(presentEndpoint)),
    list: (query = {}) =>
      listingOf(
        ({ signal, after, ...rest }) =>
          readAs<OwnerPage<OwnerEndpoint<D>>, OwnerErrors['list']>({ signal }, () =>
            webhooks
              .listEndpoints(owner, { ...rest, after: decodeText(after) })
              .map((page) => toOwnerPage(page, presentEndpoint)),
          ),
        query,
      ),
    change: (id, patch, options = {}) =>
      writeAs(context, options, (rest) => webhooks.changeEndpoint(owner, id, patch, rest), written),
    delete: (id, options = {}) =>
      writeAs(
        context,
        options,
        (rest) => webhooks.deleteEndpoint(owner, id, rest),
        () => ({}),
      ),
    rotateSecret: (id, input = {}, options = {}) =>
      writeAs(context, options, (rest) => webhooks.rotateSecret(owner, id, input, rest), withSecret),
    test: (id, options = {}) =>
      readAs(options, () =>
        webhooks.testEndpoint(owner, id).map(({ retryAfterMs: _retryAfterMs, ...attempt }) => attempt),
      ),
    deliveries: (id, query = {}) =>
      listingOf(
        ({ signal, after, ...rest }) =>
          readAs<OwnerPage<WebhookDelivery<D>>, OwnerErrors['deliveries']>({ signal }, () =>
            webhooks
              .listDeliveries(owner, id, { ...rest, before: decodeNumber(after)?.value })
              .map((page) => toOwnerPage(page, (delivery) => delivery)),
          ),
        query,
      ),
    redeliver: (id, eventId, options = {}) =>
      readAs(options, () => webhooks.redeliver(owner, id, { event_id: eventId })),
  };
}
