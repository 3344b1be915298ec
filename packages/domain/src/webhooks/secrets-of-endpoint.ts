import { err, ok, okAsync, type ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { WebhookEndpointWritten } from './webhook-endpoint-repository.ts';
import type { AnyEndpoint, WebhookSecret } from './webhook-endpoint.ts';
import type { SecretSuperseded, WebhookEndpointNotFound } from './webhook-errors.ts';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';
import type { SecretWritten, WebhookPorts } from './webhooks.ts';

/** Returns the first secret of an endpoint. */
export function firstSecret(secrets: WebhookSecrets): WebhookSecret {
  return { serial: 1, key: secrets.newestKey(), expires_at: null };
}

/** Returns the secrets after a rotation: a new one, and the one before until `expires_at`, unless that is `null`. */
export function rotateSecrets(
  secrets: WebhookSecrets,
  endpoint: AnyEndpoint,
  expires_at: Timestamp | null,
): readonly WebhookSecret[] {
  const next = newSecret(secrets, endpoint);
  return expires_at === null ? [next] : [next, { ...newestSecret(endpoint), expires_at }];
}

/** Returns the secret that comes after the newest one of an endpoint. */
export function newSecret(secrets: WebhookSecrets, endpoint: AnyEndpoint): WebhookSecret {
  return { serial: newestSecret(endpoint).serial + 1, key: secrets.newestKey(), expires_at: null };
}

/**
 * Adds the newest secret to the result of a write that made it. A replay gets it only while it is still the newest one,
 * so that a retry never shows a secret that was replaced.
 */
export function withSecret(
  { endpoints, secrets }: Pick<WebhookPorts<OrderDefinition>, 'endpoints' | 'secrets'>,
  owner: Owner,
  written: WebhookEndpointWritten,
): ResultAsync<SecretWritten, SecretSuperseded | Unavailable | WebhookEndpointNotFound> {
  const { endpoint, replayed } = written;
  const made = newestSecret(endpoint);
  const current: ResultAsync<AnyEndpoint, Unavailable | WebhookEndpointNotFound> = replayed
    ? getAggregate(endpoints, owner, endpoint.id, 'webhook_endpoint_not_found')
    : okAsync(endpoint);
  return current.andThen((found) =>
    newestSecret(found).serial === made.serial
      ? ok({ ...written, secret: secrets.derive(owner, endpoint.id, made) })
      : err<never, SecretSuperseded>({ type: 'secret_superseded' }),
  );
}

function newestSecret({ id, secrets: [newest] }: AnyEndpoint): WebhookSecret {
  if (newest) return newest;
  throw new Error(`the endpoint ${id} has no secret: the repository must return what it stored`);
}
