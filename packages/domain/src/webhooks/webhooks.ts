import type { ResultAsync } from 'neverthrow';
import type { WithInputs } from '../bind-ports.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { EventType, FeedInclude } from '../event-types.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Clock, Timestamp } from '../shared/clock.ts';
import type { KeyReused } from '../shared/idempotency.ts';
import type { IdSource, Owner, ResourceId } from '../shared/ids.ts';
import type { PageQueryInput, PageWindowInput } from '../shared/page-query.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions, PreconditionFailed } from '../shared/version.ts';
import type { WriteOptions } from '../shared/write-options.ts';
import type { WebhookDeliveries, WebhookDelivery } from './webhook-delivery.ts';
import type {
  WebhookEndpointDeleted,
  WebhookEndpointRepository,
  WebhookEndpointWritten,
} from './webhook-endpoint-repository.ts';
import type { WebhookEndpoint, WebhookEndpointStatus } from './webhook-endpoint.ts';
import type {
  DeliveryNotFound,
  SecretSuperseded,
  TooManyEndpoints,
  WebhookEndpointNotFound,
} from './webhook-errors.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';
import type { Attempt, WebhookSender } from './webhook-sender.ts';
import type { WebhookTargets } from './webhook-targets.ts';

/** The adapters and settings that the use cases of webhooks depend on. */
export interface WebhookPorts<D extends OrderDefinition = DefaultDefinition> {
  readonly endpoints: WebhookEndpointRepository<D>;
  readonly deliveries: WebhookDeliveries<D>;
  /** The feed whose end is the start of a new endpoint. */
  readonly feed: EventFeed<D>;
  readonly secrets: WebhookSecrets;
  readonly sender: WebhookSender;
  readonly targets: WebhookTargets;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Time until an idempotency key expires, in milliseconds. Default: {@link IDEMPOTENCY_TTL_MS_DEFAULT}. */
  readonly idempotencyTtlMs?: number | undefined;
}

/** What the use cases depend on: ports, and a definition of orders that is known only when the program runs. */
export interface DefinedWebhookPorts extends WebhookPorts<OrderDefinition> {
  readonly definition: OrderDefinition;
}

/** The input of a new endpoint. A member that is absent or `null` is not set. */
export interface NewWebhookEndpoint<D extends OrderDefinition = DefaultDefinition> {
  readonly url: string;
  /** Default: every type. */
  readonly types?: readonly EventType<D>[] | null | undefined;
  /** Default: nothing. */
  readonly include?: readonly FeedInclude[] | null | undefined;
  readonly description?: string | null | undefined;
}

/** A merge patch of an endpoint (RFC 7396). An absent member leaves its field unchanged. */
export interface WebhookEndpointPatch<D extends OrderDefinition = DefaultDefinition> {
  readonly url?: string | undefined;
  /** `null` accepts every type. */
  readonly types?: readonly EventType<D>[] | null | undefined;
  /** `null` includes nothing. */
  readonly include?: readonly FeedInclude[] | null | undefined;
  /** `null` removes it. */
  readonly description?: string | null | undefined;
  readonly status?: WebhookEndpointStatus | undefined;
}

/** The input of a rotation. */
export interface SecretRotation {
  /**
   * Time for which the replaced secret stays valid, in seconds, 0 to {@link SECRET_OVERLAP_SECONDS_MAX}. Default:
   * {@link SECRET_OVERLAP_SECONDS_DEFAULT}.
   */
  readonly overlap_seconds?: number | null | undefined;
}

/** The input of a redelivery. */
export interface Redelivery {
  /** UUID of the event. */
  readonly event_id: string;
}

/** A query for a page of deliveries. Every member is optional. */
export interface DeliveryQueryInput extends Omit<PageWindowInput<number>, 'offset'> {
  /** Default: every status. */
  readonly status?: string | undefined;
}

/** The result of a write that makes a secret: the only one that has its text. */
export interface SecretWritten<D extends OrderDefinition = OrderDefinition> extends WebhookEndpointWritten<D> {
  /** The newest secret, `whsec_` and base64. */
  readonly secret: string;
}

/** The errors of creating an endpoint. */
export type CreateEndpointError =
  | ValidationFailed
  | KeyReused
  | SecretSuperseded
  | TooManyEndpoints
  | Unavailable
  | WebhookEndpointNotFound;

/** The errors of changing an endpoint. */
export type ChangeEndpointError =
  | ValidationFailed
  | KeyReused
  | Unavailable
  | PreconditionFailed
  | WebhookEndpointNotFound;

/** The errors of rotating the secret of an endpoint. */
export type RotateSecretError = ChangeEndpointError | SecretSuperseded;

/** The errors of deleting an endpoint. */
export type DeleteEndpointError = KeyReused | Unavailable | PreconditionFailed | WebhookEndpointNotFound;

/** The use cases of webhooks, bound to their ports. Inputs are validated at run time too. */
export interface Webhooks<D extends OrderDefinition = DefaultDefinition> {
  /** The definition of the orders whose events are sent. */
  readonly definition: D;

  /** Creates an endpoint, which receives all events from now on. Also returns its secret, as does a retry. */
  readonly createEndpoint: (
    owner: Owner,
    input: NewWebhookEndpoint<D>,
    options?: WriteOptions,
  ) => ResultAsync<SecretWritten<D>, CreateEndpointError>;

  /** Returns one endpoint. */
  readonly getEndpoint: (
    owner: Owner,
    id: string | ResourceId,
  ) => ResultAsync<WebhookEndpoint<D>, Unavailable | WebhookEndpointNotFound>;

  /** Returns one page of endpoints. */
  readonly listEndpoints: (
    owner: Owner,
    query?: PageQueryInput,
  ) => ResultAsync<Page<WebhookEndpoint<D>, Timestamp>, Unavailable | ValidationFailed>;

  /** Changes an endpoint by a merge patch: as a whole, or not at all. */
  readonly changeEndpoint: (
    owner: Owner,
    id: string | ResourceId,
    patch: WebhookEndpointPatch<D>,
    options?: ChangeOptions,
  ) => ResultAsync<WebhookEndpointWritten<D>, ChangeEndpointError>;

  /** Deletes an endpoint with its deliveries. */
  readonly deleteEndpoint: (
    owner: Owner,
    id: string | ResourceId,
    options?: ChangeOptions,
  ) => ResultAsync<WebhookEndpointDeleted, DeleteEndpointError>;

  /**
   * Makes a new secret. The one before signs requests too until `overlap_seconds` have passed; an older one ends at
   * once. Also returns the new secret, as does a retry until the next rotation.
   */
  readonly rotateSecret: (
    owner: Owner,
    id: string | ResourceId,
    input?: SecretRotation,
    options?: ChangeOptions,
  ) => ResultAsync<SecretWritten<D>, RotateSecretError>;

  /** Sends a message of the type `webhook_endpoint.test` at once, also to a disabled endpoint. Nothing is recorded. */
  readonly testEndpoint: (
    owner: Owner,
    id: string | ResourceId,
  ) => ResultAsync<Attempt, Unavailable | WebhookEndpointNotFound>;

  /** Returns one page of the deliveries of an endpoint, newest event first. */
  readonly listDeliveries: (
    owner: Owner,
    id: string | ResourceId,
    query?: DeliveryQueryInput,
  ) => ResultAsync<Page<WebhookDelivery<D>, number>, Unavailable | ValidationFailed | WebhookEndpointNotFound>;

  /** Delivers an event again, whatever the status of its delivery. */
  readonly redeliver: (
    owner: Owner,
    id: string | ResourceId,
    input: Redelivery,
  ) => ResultAsync<WebhookDelivery<D>, DeliveryNotFound | Unavailable | ValidationFailed | WebhookEndpointNotFound>;
}

/** {@link Webhooks} with untyped inputs, for adapters that pass on what a client sent. */
export interface UntypedWebhooks<D extends OrderDefinition = OrderDefinition> extends WithInputs<
  Webhooks<D>,
  Readonly<Record<'createEndpoint' | 'changeEndpoint' | 'rotateSecret' | 'redeliver', unknown>>
> {}

/** Returns the same use cases with untyped inputs. Every use case validates its input, so none has to be typed. */
export function untypedWebhooks<D extends OrderDefinition>(webhooks: Webhooks<D>): UntypedWebhooks<D>;
export function untypedWebhooks(webhooks: object): unknown {
  return webhooks;
}
