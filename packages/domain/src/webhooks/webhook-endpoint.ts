import type { EventType, FeedInclude } from '../event-types.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Timestamp } from '../shared/clock.ts';
import { deepFreeze } from '../shared/frozen.ts';

/** Maximum number of webhook endpoints that one owner has. */
export const WEBHOOK_ENDPOINTS_MAX = 10;
/** Maximum length of the URL of an endpoint, in characters. */
export const WEBHOOK_URL_LENGTH_MAX = 2048;
/** Maximum length of the description of an endpoint, in Unicode code points. */
export const WEBHOOK_DESCRIPTION_LENGTH_MAX = 255;
/** Maximum number of secrets of an endpoint that are valid at a time. */
export const WEBHOOK_SECRETS_MAX = 2;
/** Maximum time for which a rotated secret stays valid, in seconds: seven days. */
export const SECRET_OVERLAP_SECONDS_MAX = 604_800;
/** Default time for which a rotated secret stays valid, in seconds: one day. */
export const SECRET_OVERLAP_SECONDS_DEFAULT = 86_400;

/** The statuses of an endpoint. A disabled endpoint receives nothing, and resumes where it stopped once it is enabled. */
export const WEBHOOK_ENDPOINT_STATUSES = deepFreeze(['enabled', 'disabled'] as const);
/** Status of an endpoint, one of {@link WEBHOOK_ENDPOINT_STATUSES}. */
export type WebhookEndpointStatus = (typeof WEBHOOK_ENDPOINT_STATUSES)[number];

/**
 * Why an endpoint is disabled: its owner disabled it, its receiver is gone, or a delivery failed finally and none has
 * succeeded since its first attempt. `secret_lost`: the signing key of its secret is lost.
 */
export const DISABLED_REASONS = deepFreeze(['requested', 'gone', 'deliveries_failed', 'secret_lost'] as const);
/** Reason why an endpoint is disabled, one of {@link DISABLED_REASONS}. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A secret of an endpoint, from which its text can be derived. The text itself is stored nowhere. */
export interface WebhookSecret {
  /** 1 for the first secret of the endpoint, and one more for each rotation. */
  readonly serial: number;
  /** Fingerprint of the server key that the secret derives from. */
  readonly key: string;
  /** The time until which it signs requests beside the newest secret; `null` for the newest one. */
  readonly expires_at: Timestamp | null;
}

/** The aggregate of a webhook endpoint: a URL that receives the events of its owner. */
export interface WebhookEndpoint<D extends OrderDefinition = DefaultDefinition> {
  /** UUIDv7, never reused. */
  readonly id: string;
  /** Absolute URL in the normal form of the WHATWG URL standard. */
  readonly url: string;
  /** The types of the events that it receives, in the order of {@link eventTypesOf}; `null` for every type but {@link IMPORT_EVENT_TYPES}. */
  readonly types: readonly EventType<D>[] | null;
  /** With `resource`, each event has the resource at its version. */
  readonly include: readonly FeedInclude[];
  readonly description: string | null;
  readonly status: WebhookEndpointStatus;
  /** `null` while the endpoint is enabled. */
  readonly disabled_reason: DisabledReason | null;
  /** The secrets that sign requests, newest first, 1 to {@link WEBHOOK_SECRETS_MAX}. */
  readonly secrets: readonly WebhookSecret[];
  /** It receives the events after this position of its owner's feed. Never changes. */
  readonly start: number;
  /** Starts at 1 and increases by one with every accepted change. */
  readonly version: number;
  readonly created_at: Timestamp;
  /** Time of the last change. It never decreases, even if the clock runs backwards. */
  readonly updated_at: Timestamp;
}

/** A {@link WebhookEndpoint} for orders of any definition, which is known only when the program runs. */
export type AnyEndpoint = WebhookEndpoint<OrderDefinition>;
