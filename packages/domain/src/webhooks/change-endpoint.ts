import type { Decision } from '../aggregates/write-aggregate.ts';
import { okAsync, type Result, type ResultAsync } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { EventOutline } from '../shared/domain-event.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { INVALID_TEXT, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import {
  ENDPOINT_READ_ONLY_FIELDS,
  readDescription,
  readInclude,
  readStatus,
  readTypes,
  readUrl,
} from './endpoint-fields.ts';
import type { WebhookEndpointEventType } from './endpoint-kind.ts';
import { changeEndpointBy } from './update-endpoint.ts';
import type { WebhookEndpointWritten } from './webhook-endpoint-repository.ts';
import type { AnyEndpoint, DisabledReason } from './webhook-endpoint.ts';
import type { ChangeEndpointError, DefinedWebhookPorts } from './webhooks.ts';

/** A validated change of an endpoint. An absent member leaves its field unchanged. */
export type EndpointChange = Partial<Pick<AnyEndpoint, 'url' | 'types' | 'include' | 'description' | 'status'>>;

/**
 * Changes an endpoint by a merge patch (RFC 7396), a {@link WebhookEndpointPatch}. The patch applies as a whole or not at
 * all, and records one event: `webhook_endpoint.disabled` if it disables the endpoint. A patch with `status: enabled` also
 * ends the wait for an endpoint that rejected what it received, whether or not it changes anything.
 */
export function changeEndpoint(
  ports: DefinedWebhookPorts,
  owner: Owner,
  id: string | ResourceId,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<WebhookEndpointWritten, ChangeEndpointError> {
  const parsed = parseEndpointPatch(patch, ports);
  const target = { owner, id, operation: 'change_webhook_endpoint' };
  return changeEndpointBy(ports, target, parsed, options, (before, change, now) =>
    applyEndpointChange(before, change, 'requested', now),
  ).andThen((written) => {
    const isEnabled = parsed.isOk() && parsed.value.status === 'enabled';
    return isEnabled ? ports.deliveries.resume(owner, written.endpoint.id).map(() => written) : okAsync(written);
  });
}

/** Parses a merge patch of an endpoint (RFC 7396). */
function parseEndpointPatch(
  input: unknown,
  { targets, definition }: Pick<DefinedWebhookPorts, 'targets' | 'definition'>,
): Result<EndpointChange, ValidationFailed> {
  const invalid = new InvalidFields();
  const known = ['url', 'types', 'include', 'description', 'status'];
  const { url, types, include, description, status } = invalid.readObject(input, known, ENDPOINT_READ_ONLY_FIELDS);
  return invalid.toResult({
    ...(url !== undefined && { url: readUrl(url, targets, invalid) ?? INVALID_TEXT }),
    ...(types !== undefined && { types: readTypes(types, definition, invalid) }),
    ...(include !== undefined && { include: readInclude(include, invalid) }),
    ...(description !== undefined && { description: readDescription(description, invalid) }),
    ...(status !== undefined && { status: readStatus(status, invalid) ?? 'enabled' }),
  });
}

/**
 * Applies a change to an endpoint. A pure function: `endpoint` stays unchanged.
 *
 * @param reason why the endpoint is disabled, if the change disables it
 */
export function applyEndpointChange(
  endpoint: AnyEndpoint,
  change: EndpointChange,
  reason: DisabledReason,
  now: Timestamp,
): Decision<AnyEndpoint, EventOutline<WebhookEndpointEventType>> {
  const { status = endpoint.status } = change;
  const hasSameStatus = status === endpoint.status;
  const disabled_reason = status === 'enabled' ? null : hasSameStatus ? endpoint.disabled_reason : reason;
  const after = { ...endpoint, ...change, disabled_reason };
  const changed = CHANGEABLE_FIELDS.filter((name) => !isSame(after[name], endpoint[name]));
  if (changed.length === 0) return { after: endpoint, event: null };
  const version = endpoint.version + 1;
  const updated_at = laterTimestamp(endpoint.updated_at, now);
  const isDisabled = !hasSameStatus && status === 'disabled';
  const type = isDisabled ? 'webhook_endpoint.disabled' : 'webhook_endpoint.changed';
  return { after: { ...after, version, updated_at }, event: { type, changed } };
}

const CHANGEABLE_FIELDS = ['url', 'types', 'include', 'description', 'status', 'disabled_reason'] as const;

/** Compares texts, sets in their canonical order, and `null`. */
function isSame(left: string | readonly string[] | null, right: string | readonly string[] | null): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
