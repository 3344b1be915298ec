import type { Result, ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { laterTimestamp, toTimestamp } from '../shared/clock.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { rotateSecrets, withSecret } from './secrets-of-endpoint.ts';
import { changeEndpointBy } from './update-endpoint.ts';
import { type AnyEndpoint, SECRET_OVERLAP_SECONDS_DEFAULT, SECRET_OVERLAP_SECONDS_MAX } from './webhook-endpoint.ts';
import type { RotateSecretError, SecretWritten, DefinedWebhookPorts, WebhookPorts } from './webhooks.ts';

/**
 * Makes a new secret of an endpoint. The one before stays valid for `overlap_seconds` of `input`, a
 * {@link SecretRotation}; an older one ends at once.
 */
export function rotateSecret(
  ports: DefinedWebhookPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown = {},
  options: ChangeOptions = {},
): ResultAsync<SecretWritten, RotateSecretError> {
  const target = { owner, id, operation: 'rotate_webhook_secret' };
  return changeEndpointBy(ports, target, parseRotation(input), options, (before, overlap) => ({
    after: applyRotation(ports, before, overlap),
    event: { type: 'webhook_endpoint.secret_rotated', changed: ['secrets'] },
  })).andThen((written) => withSecret(ports, owner, written));
}

function applyRotation(
  { secrets, clock }: WebhookPorts<OrderDefinition>,
  before: AnyEndpoint,
  overlap: number,
): AnyEndpoint {
  const now = clock.now().getTime();
  const expires_at = overlap === 0 ? null : toTimestamp(now + overlap * 1000);
  return {
    ...before,
    secrets: rotateSecrets(secrets, before, expires_at),
    version: before.version + 1,
    updated_at: laterTimestamp(before.updated_at, toTimestamp(now)),
  };
}

function parseRotation(input: unknown): Result<number, ValidationFailed> {
  const invalid = new InvalidFields();
  const { overlap_seconds: overlap } = invalid.readObject(input, ['overlap_seconds']);
  const seconds = overlap ?? SECRET_OVERLAP_SECONDS_DEFAULT;
  return invalid.toResult(invalid.readInteger(seconds, 'overlap_seconds', 0, SECRET_OVERLAP_SECONDS_MAX) ?? 0);
}
