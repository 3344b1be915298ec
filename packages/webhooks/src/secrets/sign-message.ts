import { createHmac } from 'node:crypto';
import type { Owner, Timestamp } from '@orders/domain';
import type { WebhookEndpoint, WebhookMessage, WebhookSecrets } from '@orders/domain/webhooks';
import { secretBytes } from './webhook-secrets.ts';

/** The headers of Standard Webhooks 1.0. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  /** Seconds since the Unix epoch. */
  readonly 'webhook-timestamp': string;
  /** One signature for each valid secret, separated by spaces, that of the newest secret first. */
  readonly 'webhook-signature': string;
}

/**
 * Signs a message by every secret of the endpoint that is valid at `now`, as Standard Webhooks 1.0 does.
 *
 * @throws {Error} the server lacks a signing key; see {@link WebhookSecrets.derive}
 */
export function signMessage(
  secrets: WebhookSecrets,
  owner: Owner,
  { id, secrets: recorded }: Pick<WebhookEndpoint, 'id' | 'secrets'>,
  message: WebhookMessage,
  now: Date,
): SignatureHeaders {
  const timestamp = Math.floor(now.getTime() / 1000);
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = recorded
    .filter(({ expires_at }) => isValid(expires_at, now))
    .map((secret) => secretBytes(secrets.derive(owner, id, secret)))
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

function isValid(expiresAt: Timestamp | null, now: Date): boolean {
  return expiresAt === null || Date.parse(expiresAt) > now.getTime();
}
