import { errAsync, type ResultAsync } from 'neverthrow';
import type { SortedQuery } from './customers.ts';
import type { DefaultDefinition, Definition } from './definition.ts';
import type {
  ChangeEndpointError,
  CreateEndpointError,
  DeleteEndpointError,
  ErrorOf,
  GetEndpointError,
  ListDeliveriesError,
  ListError,
  RedeliverError,
  RotateSecretError,
} from './errors.ts';
import { type Listing, listing, type PageQuery } from './listing.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from './options.ts';
import { readPage } from './page.ts';
import type {
  NewWebhookEndpoint,
  SecretRotation,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointPatch,
  WebhookTest,
} from './schemas.ts';
import { PROBLEMS } from './generated/problems.ts';
import { isId } from './calls/keys.ts';
import { signalOf } from './calls/known-options.ts';
import { trusted } from './calls/trusted.ts';
import type { Settings } from './transport/settings.ts';
import { read, write } from './transport/writes.ts';

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

const NOT_FOUND: ErrorOf<'webhook_endpoint_not_found'> = { type: 'webhook_endpoint_not_found' };
/** Maximum time of a test in addition to that of a request, in milliseconds: that of its attempt. */
const TEST_MS = 15_000;

/** Binds the operations on webhook endpoints to a server. */
export function bindWebhooks<D extends Definition>(settings: Settings): Webhooks<D> {
  const toEndpoint = (body: unknown) => trusted<WebhookEndpoint>(body);
  const withSecret = ({ body, ...rest }: Written & { readonly body: unknown }): SecretWritten => {
    const { secret, ...endpoint } = trusted<WebhookEndpoint & { readonly secret: string }>(body);
    return { endpoint, secret, ...rest };
  };
  return {
    create: (input, options = {}) =>
      write<CreateEndpointError>(
        settings,
        { method: 'POST', path: '/webhook_endpoints', body: input },
        options,
        PROBLEMS.create_webhook_endpoint,
      ).map(withSecret),
    get: (id, options = {}) =>
      isId(id)
        ? read<GetEndpointError>(
            settings,
            { path: `/webhook_endpoints/${id}`, signal: signalOf(options) },
            PROBLEMS.get_webhook_endpoint,
          ).map(toEndpoint)
        : errAsync(NOT_FOUND),
    list: (query = {}) =>
      listing(
        ({ signal, ...rest }: SortedQuery) =>
          readPage<WebhookEndpoint, ListError>(
            settings,
            '/webhook_endpoints',
            rest,
            PROBLEMS.list_webhook_endpoints,
            signal,
          ),
        query,
      ),
    change: (id, patch, options = {}) =>
      isId(id)
        ? write<ChangeEndpointError>(
            settings,
            { method: 'PATCH', path: `/webhook_endpoints/${id}`, body: patch },
            options,
            PROBLEMS.change_webhook_endpoint,
          ).map(({ body, ...rest }) => ({ endpoint: toEndpoint(body), ...rest }))
        : errAsync(NOT_FOUND),
    delete: (id, options = {}) =>
      isId(id)
        ? write<DeleteEndpointError>(
            settings,
            { method: 'DELETE', path: `/webhook_endpoints/${id}` },
            options,
            PROBLEMS.delete_webhook_endpoint,
          ).map(({ body: _body, ...rest }) => rest)
        : errAsync(NOT_FOUND),
    rotateSecret: (id, input = {}, options = {}) =>
      isId(id)
        ? write<RotateSecretError>(
            settings,
            {
              method: 'POST',
              path: `/webhook_endpoints/${id}/secrets`,
              resource: `/webhook_endpoints/${id}`,
              body: input,
            },
            options,
            PROBLEMS.rotate_webhook_secret,
          ).map(withSecret)
        : errAsync(NOT_FOUND),
    test: (id, options = {}) =>
      isId(id)
        ? read<GetEndpointError>(
            settings,
            { method: 'POST', path: `/webhook_endpoints/${id}/tests`, signal: signalOf(options), waitMs: TEST_MS },
            PROBLEMS.test_webhook_endpoint,
          ).map((body) => trusted<WebhookTest>(body))
        : errAsync(NOT_FOUND),
    deliveries: (id, query = {}) =>
      listing(
        ({ signal, ...rest }: DeliveryQuery) =>
          isId(id)
            ? readPage<WebhookDelivery, ListDeliveriesError>(
                settings,
                `/webhook_endpoints/${id}/deliveries`,
                rest,
                PROBLEMS.list_webhook_deliveries,
                signal,
              )
            : errAsync(NOT_FOUND),
        query,
      ),
    redeliver: (id, eventId, options = {}) =>
      isId(id)
        ? read<RedeliverError>(
            settings,
            {
              method: 'POST',
              path: `/webhook_endpoints/${id}/deliveries`,
              body: { event_id: eventId },
              signal: signalOf(options),
            },
            PROBLEMS.redeliver_webhook_event,
          ).map((body) => trusted<WebhookDelivery>(body))
        : errAsync(NOT_FOUND),
  };
}
