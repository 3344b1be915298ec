export { createWebhooks } from './webhooks/create-webhooks.ts';
export { disableEndpoint } from './webhooks/disable-endpoint.ts';
export * from './webhooks/attempt-delays.ts';
export * from './webhooks/settle-attempt.ts';
export type { OrdersStore } from './webhooks/orders-store.ts';
export { parseDeliveryQuery } from './webhooks/endpoint-deliveries.ts';
export { TEST_MESSAGE_TYPE } from './webhooks/probe-endpoint.ts';
export { replaceLostSecrets } from './webhooks/replace-lost-secrets.ts';
export * from './webhooks/webhook-delivery.ts';
export * from './webhooks/endpoint-kind.ts';
export { IMPORT_EVENT_TYPES } from './event-types.ts';
export type {
  WebhookEndpointDeleted,
  WebhookEndpointRepository,
  WebhookEndpointWritten,
} from './webhooks/webhook-endpoint-repository.ts';
export * from './webhooks/webhook-endpoint.ts';
export type * from './webhooks/webhook-errors.ts';
export { webhookMessage } from './webhooks/webhook-message.ts';
export * from './webhooks/webhook-queue.ts';
export type { WebhookSecrets } from './webhooks/webhook-secrets.ts';
export * from './webhooks/webhook-sender.ts';
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
