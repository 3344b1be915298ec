import { jsonOf } from './calls/json.ts';
import type { ResultAsync } from 'neverthrow';
import type { DefaultDefinition, Definition } from './definition.ts';
import type {
  ChangeEndpointError,
  CreateEndpointError,
  DeleteEndpointError,
  GetEndpointError,
  ListDeliveriesError,
  ListError,
  RedeliverError,
  RotateSecretError,
} from './errors.ts';
import type { Listing, PageQuery, SortedQuery } from './listing.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from './options.ts';
import type {
  NewWebhookEndpoint,
  SecretRotation,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointPatch,
  WebhookTest,
} from './schemas.ts';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import { Operations } from './operations.ts';
import type { Settings } from './transport/settings.ts';
import type { WriteResponse } from './transport/writes.ts';

/** A query for the deliveries of a webhook endpoint. */
export interface DeliveryQuery extends Omit<PageQuery, 'offset'>, RequestOptions {
  /** Default: every status. */
  readonly status?: WebhookDelivery['status'] | undefined;
}

/** The result of a write of a webhook endpoint. */
export interface EndpointWritten extends Written {
  readonly endpoint: WebhookEndpoint;
}

/** The result of a write that makes a secret: the only one that has it. */
export interface SecretWritten extends EndpointWritten {
  /** Verifies what the endpoint receives; store it now. */
  readonly secret: string;
}

/** The operations on webhook endpoints. */
export interface Webhooks<D extends Definition = DefaultDefinition> {
  /**
   * Creates a webhook endpoint, which receives all events from now on, and returns its secret.
   *
   * @example
   * const created = await orders.webhooks.create({ url: 'https://example.com/orders', types: ['order.placed'] });
   */
  readonly create: (
    input: NewWebhookEndpoint<D>,
    options?: WriteOptions,
  ) => ResultAsync<SecretWritten, CreateEndpointError>;

  /**
   * Returns one webhook endpoint.
   *
   * @example
   * const endpoint = await orders.webhooks.get(id);
   */
  readonly get: (id: string, options?: RequestOptions) => ResultAsync<WebhookEndpoint, GetEndpointError>;

  /**
   * Lists webhook endpoints, newest first.
   *
   * @example
   * for await (const endpoint of orders.webhooks.list()) console.log(endpoint.url);
   */
  readonly list: (query?: SortedQuery) => Listing<WebhookEndpoint, ListError>;

  /**
   * Changes a webhook endpoint by a merge patch, as a whole or not at all.
   *
   * @example
   * const enabled = await orders.webhooks.change(id, { status: 'enabled' });
   */
  readonly change: (
    id: string,
    patch: WebhookEndpointPatch<D>,
    options?: ChangeOptions,
  ) => ResultAsync<EndpointWritten, ChangeEndpointError>;

  /**
   * Deletes a webhook endpoint with its deliveries.
   *
   * @example
   * const deleted = await orders.webhooks.delete(id);
   */
  readonly delete: (id: string, options?: ChangeOptions) => ResultAsync<Written, DeleteEndpointError>;

  /**
   * Makes a new secret, beside which the one before stays valid for a day or as long as you say.
   *
   * @example
   * const rotated = await orders.webhooks.rotateSecret(id, { overlap_seconds: 3600 });
   */
  readonly rotateSecret: (
    id: string,
    input?: SecretRotation,
    options?: ChangeOptions,
  ) => ResultAsync<SecretWritten, RotateSecretError>;

  /**
   * Sends a test message to a webhook endpoint at once and returns how it responded.
   *
   * @example
   * const test = await orders.webhooks.test(id);
   */
  readonly test: (id: string, options?: RequestOptions) => ResultAsync<WebhookTest, GetEndpointError>;

  /**
   * Lists the deliveries of a webhook endpoint, newest event first.
   *
   * @example
   * for await (const delivery of orders.webhooks.deliveries(id, { status: 'failed' })) console.log(delivery.last_error);
   */
  readonly deliveries: (id: string, query?: DeliveryQuery) => Listing<WebhookDelivery, ListDeliveriesError>;

  /**
   * Delivers an event again, whatever the status of its delivery.
   *
   * @example
   * const delivery = await orders.webhooks.redeliver(id, event_id);
   */
  readonly redeliver: (
    id: string,
    eventId: string,
    options?: RequestOptions,
  ) => ResultAsync<WebhookDelivery, RedeliverError>;
}

/** Maximum time of a test in addition to that of a request, in milliseconds: that of its attempt. */
const TEST_MS = 15_000;

/** Binds the operations on webhook endpoints to a server. */
export function bindWebhooks<D extends Definition>(settings: Settings): Webhooks<D> {
  const api = new Operations(settings, '/webhook_endpoints', 'webhook_endpoint_not_found');
  const written = ({ body, ...rest }: WriteResponse): EndpointWritten => ({
    endpoint: uncheckedCast<WebhookEndpoint>(body),
    ...rest,
  });
  const withSecret = ({ body, ...rest }: WriteResponse): SecretWritten => {
    const { secret, ...endpoint } = uncheckedCast<WebhookEndpoint & { readonly secret: string }>(body);
    return { endpoint, secret, ...rest };
  };
  return {
    create: (input, options = {}) =>
      api.write('create_webhook_endpoint', 'POST', '/webhook_endpoints', options, input).map(withSecret),
    get: (id, options = {}) => api.read('get_webhook_endpoint', api.at(id), options),
    list: (query = {}) => api.list('list_webhook_endpoints', '/webhook_endpoints', query),
    change: (id, patch, options = {}) =>
      api.write('change_webhook_endpoint', 'PATCH', api.at(id), options, patch).map(written),
    delete: (id, options = {}) => api.delete('delete_webhook_endpoint', id, options),
    rotateSecret: (id, input = {}, options = {}) =>
      api.write('rotate_webhook_secret', 'POST', api.at(id, '/secrets'), options, input).map(withSecret),
    test: (id, options = {}) =>
      api.read('test_webhook_endpoint', api.at(id, '/tests'), options, { method: 'POST', waitMs: TEST_MS }),
    deliveries: (id, query = {}) => api.list('list_webhook_deliveries', api.at(id, '/deliveries'), query),
    redeliver: (id, eventId, options = {}) => {
      const call = { method: 'POST', body: jsonOf({ event_id: eventId }) } as const;
      return api.read('redeliver_webhook_event', api.at(id, '/deliveries'), options, call);
    },
  };
}
