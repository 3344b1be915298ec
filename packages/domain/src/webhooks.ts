export { createWebhooks } from './webhooks/create-webhooks.ts';
export { disableEndpoint } from './webhooks/disable-endpoint.ts';
export {
  ATTEMPT_GAPS_MS,
  ATTEMPTS_MAX,
  FRESH_GAPS_MS,
  freshGapAfter,
  GAP_JITTER,
  RELEASED,
  RETRY_AFTER_MAX_MS,
  settleAttempt,
  type Settlement,
} from './webhooks/settle-attempt.ts';
export type { OrdersStore } from './webhooks/orders-store.ts';
export { parseDeliveryQuery } from './webhooks/endpoint-deliveries.ts';
export { TEST_MESSAGE_TYPE } from './webhooks/probe-endpoint.ts';
export { replaceLostSecrets } from './webhooks/replace-lost-secrets.ts';
export {
  DELIVERY_STATUSES,
  type DeliveryQuery,
  type DeliveryStatus,
  type WebhookDeliveries,
  type WebhookDelivery,
} from './webhooks/webhook-delivery.ts';
export {
  endpointKind,
  WEBHOOK_ENDPOINT_FEED_TYPES,
  type WebhookEndpointEvent,
  type WebhookEndpointEventType,
  type WebhookEndpointFeedType,
} from './webhooks/endpoint-kind.ts';
export { IMPORT_EVENT_TYPES } from './event-types.ts';
export type {
  WebhookEndpointDeleted,
  WebhookEndpointRepository,
  WebhookEndpointWritten,
} from './webhooks/webhook-endpoint-repository.ts';
export {
  type AnyEndpoint,
  DISABLED_REASONS,
  type DisabledReason,
  SECRET_OVERLAP_SECONDS_DEFAULT,
  SECRET_OVERLAP_SECONDS_MAX,
  WEBHOOK_DESCRIPTION_LENGTH_MAX,
  WEBHOOK_ENDPOINT_STATUSES,
  WEBHOOK_ENDPOINTS_MAX,
  WEBHOOK_SECRETS_MAX,
  WEBHOOK_URL_LENGTH_MAX,
  type WebhookEndpoint,
  type WebhookEndpointStatus,
  type WebhookSecret,
} from './webhooks/webhook-endpoint.ts';
export type {
  DeliveryNotFound,
  SecretSuperseded,
  TooManyEndpoints,
  WebhookEndpointNotFound,
} from './webhooks/webhook-errors.ts';
export { webhookMessage } from './webhooks/webhook-message.ts';
export {
  type ClaimedDelivery,
  ENDPOINT_IN_FLIGHT_MAX,
  FAN_OUT_BATCH_MAX,
  LEASE_MS,
  type FannedOut,
  type Settled,
  type WebhookQueue,
} from './webhooks/webhook-queue.ts';
export type { WebhookSecrets } from './webhooks/webhook-secrets.ts';
export {
  type Attempt,
  ATTEMPT_ERRORS,
  ATTEMPT_TIMEOUT_MS,
  type AttemptError,
  type SendingEndpoint,
  type WebhookMessage,
  type WebhookSender,
} from './webhooks/webhook-sender.ts';
export type { WebhookTargets } from './webhooks/webhook-targets.ts';
export {
  type ChangeEndpointError,
  type CreateEndpointError,
  type DeleteEndpointError,
  type DeliveryQueryInput,
  type NewWebhookEndpoint,
  type Redelivery,
  type RotateSecretError,
  type SecretRotation,
  type SecretWritten,
  type UntypedWebhooks,
  untypedWebhooks,
  type WebhookEndpointPatch,
  type WebhookPorts,
  type Webhooks,
} from './webhooks/webhooks.ts';
