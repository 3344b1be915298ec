import { errAsync, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { createAggregate, findRecordedResult } from '../aggregates/write-aggregate.ts';
import type { EventFeed } from '../events/event-feed.ts';
import { FeedBacklog } from '../events/feed-backlog.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { readAuthor } from '../shared/author.ts';
import { createEvent } from '../shared/domain-event.ts';
import { idempotencyFor, omitUnset } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { INVALID_TEXT, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { WriteOptions } from '../shared/write-options.ts';
import { ENDPOINT_READ_ONLY_FIELDS, readDescription, readInclude, readTypes, readUrl } from './endpoint-fields.ts';
import { firstSecret, withSecret } from './secrets-of-endpoint.ts';
import { endpointWritten } from './webhook-endpoint-repository.ts';
import type { AnyEndpoint } from './webhook-endpoint.ts';
import type { CreateEndpointError, DefinedWebhookPorts, SecretWritten } from './webhooks.ts';

/** The validated command to create an endpoint. */
type CreateEndpoint = Pick<AnyEndpoint, 'url' | 'types' | 'include' | 'description'>;

/**
 * Creates an enabled endpoint at version 1, which starts at the end of its owner's feed. Events that have no position yet,
 * because many were written within seconds, come after it. All invalid fields of `input`,
 * a {@link NewWebhookEndpoint}, are reported together.
 */
export function createEndpoint(
  ports: DefinedWebhookPorts,
  owner: Owner,
  input: unknown,
  options: WriteOptions = {},
): ResultAsync<SecretWritten, CreateEndpointError> {
  const author = readAuthor(options);
  return parseCreateEndpoint(input, ports).asyncAndThen((command) => {
    const key = idempotencyFor(ports, options, 'create_webhook_endpoint', omitUnset(command));
    const destination = { store: ports.endpoints, owner, key, missing: 'webhook_endpoint_not_found' } as const;
    // For a retry, the feed is not read.
    return findRecordedResult(destination)
      .andThen((recorded) =>
        recorded
          ? okAsync(recorded)
          : // Read before the endpoint is stored, so that every event after the response has a later position.
            readEnd(ports.feed, owner).andThen((start) => {
              const endpoint = buildEndpoint(ports, command, start);
              const outline = { type: 'webhook_endpoint.created', changed: [] } as const;
              const event = createEvent(ports.ids, owner, author, outline, endpoint);
              return createAggregate(destination, () => ({ after: endpoint, event }));
            }),
      )
      .andThen((written) => withSecret(ports, owner, endpointWritten(written)));
  });
}

function buildEndpoint(ports: DefinedWebhookPorts, command: CreateEndpoint, start: number): AnyEndpoint {
  const now = currentTimestamp(ports.clock);
  return {
    id: ports.ids.next(),
    ...command,
    status: 'enabled',
    disabled_reason: null,
    secrets: [firstSecret(ports.secrets)],
    start,
    version: 1,
    created_at: now,
    updated_at: now,
  };
}

/** Parses the input of a new endpoint, without the rules that depend on stored data. */
function parseCreateEndpoint(
  input: unknown,
  { targets, definition }: DefinedWebhookPorts,
): Result<CreateEndpoint, ValidationFailed> {
  const invalid = new InvalidFields();
  const members = invalid.readObject(
    input,
    ['url', 'types', 'include', 'description'],
    ['status', ...ENDPOINT_READ_ONLY_FIELDS],
  );
  const url = readUrl(members['url'], targets, invalid) ?? INVALID_TEXT;
  const types = readTypes(members['types'], definition, invalid);
  const include = readInclude(members['include'], invalid);
  const description = readDescription(members['description'], invalid);
  return invalid.toResult({ url, types, include, description });
}

/**
 * Returns the position of the last event of the owner's feed. In a backlog it is the last one that was given, so that an
 * endpoint gets too many events rather than none.
 */
function readEnd(feed: EventFeed<OrderDefinition>, owner: Owner): ResultAsync<number, Unavailable> {
  return feed
    .read(owner, { after: null, start: 'latest', limit: 1, types: null, include: [] })
    .andThen(({ next }) => okAsync(next.position))
    .orElse((error) => {
      // A read without a position has no other error.
      if (error.type !== 'unavailable') return errAsync<number, Unavailable>({ type: 'unavailable', cause: error });
      return error.cause instanceof FeedBacklog ? okAsync(error.cause.last) : errAsync(error);
    });
}
