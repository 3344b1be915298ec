export { signMessage, type SignatureHeaders } from './secrets/sign-message.ts';
export {
  isSigningKey,
  SIGNING_KEY_BYTES_MAX,
  SIGNING_KEY_BYTES_MIN,
  signingKeyFingerprint,
  webhookSecrets,
} from './secrets/webhook-secrets.ts';
export {
  type ClosableWebhookSender,
  CONNECTIONS_MAX_DEFAULT,
  WEBHOOK_USER_AGENT,
  webhookSender,
  type WebhookSenderOptions,
} from './sending/webhook-sender.ts';
export { type AddressRules, DENY_CIDRS_DEFAULT, isAddressBlock } from './targets/address-rules.ts';
export { webhookTargets } from './targets/webhook-targets.ts';
export { startWebhookWorker, type WebhookWorker, type WebhookWorkerState } from './worker/webhook-worker.ts';
export {
  type ObservedAttempt,
  WORKER_ATTEMPTS_MAX_DEFAULT,
  WORKER_ATTEMPTS_PER_OWNER_MAX_DEFAULT,
  WORKER_ATTEMPTS_PER_OWNER_PER_SECOND_DEFAULT,
  WORKER_POLL_MS_DEFAULT,
  WORKER_STOP_GRACE_MS_DEFAULT,
  type WebhookWorkerLog,
  type WebhookWorkerObserver,
  type WebhookWorkerOptions,
} from './worker/worker-options.ts';
