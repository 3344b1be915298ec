import { InvalidFields, type Owner, type Timestamp, type Unavailable } from '@orders/domain';
import { ATTEMPTS_MAX, DELIVERY_STATUSES, DISABLED_REASONS, WEBHOOK_ENDPOINT_STATUSES } from '@orders/domain/webhooks';
import type { FastifyRequest } from 'fastify';
import { err, type Result, type ResultAsync } from 'neverthrow';
import { Type } from 'typebox';
import { GET } from '../../api/operation.ts';
import {
  DateTime,
  describedUuid,
  nullable,
  openEnum,
  OptionalTimestamp,
  PAGE_QUERY,
  pageOf,
  TEXT,
  Timestamp as Time,
  Uuid,
} from '../../api/schemas.ts';
import { toListProblem, toProblem } from '../../problems/from-domain.ts';
import type { Problem } from '../../problems/problem.ts';
import { type CursorFingerprint, encodeCursor } from '../../request/cursor.ts';
import { readCursor } from '../../request/page-request.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readQuery } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import type { SuccessResponse } from '../../response/send-response.ts';
import type { OperatorOperation } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { OF_NO_OWNER } from './operation-kinds.ts';
import { LookedAt } from './orders.ts';
import { readLimit } from './read-newest-query.ts';
import { OwnerName } from './schemas.ts';

/** The place of an endpoint, and of a delivery of it. */
interface Place {
  /** A digest: a cursor names no owner, which may be a person and would stand in a URL. */
  readonly owner_digest: string;
  readonly endpoint_id: string;
  readonly position: number;
}

interface Page {
  readonly data: readonly object[];
  readonly next: Place | null;
  readonly owners: { readonly looked_at: number; readonly all: number | null };
}

/** Lists endpoints and deliveries of all owners, as `postgresEndpointsOfOwners` and `postgresDeliveriesOfOwners` of `@orders/persistence`. */
export interface WebhooksOfOwners {
  endpoints(query: {
    readonly owner: Owner | null;
    readonly after: Place | null;
    readonly limit: number;
  }): ResultAsync<Page | null, Unavailable>;
  deliveries(query: {
    readonly owner: Owner | null;
    readonly endpoint_id: string | null;
    readonly status: string | null;
    readonly from: Timestamp | null;
    readonly before: Timestamp | null;
    readonly after: Place | null;
    readonly limit: number;
  }): ResultAsync<Page | null, Unavailable>;
}

const COUNT = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const EndpointHealth = Type.Object(
  {
    owner: OwnerName,
    id: Uuid,
    url: Type.String({ format: 'uri', maxLength: 2048, description: 'Without what follows its host' }),
    status: Type.String({ enum: [...WEBHOOK_ENDPOINT_STATUSES] }),
    disabled_reason: nullable(Type.String({ ...openEnum(DISABLED_REASONS), ...TEXT, maxLength: 64 })),
    created_at: Time,
    last_success_at: OptionalTimestamp,
    failing_since: nullable(Time, { description: 'Null while it accepts what it gets' }),
    pending: Type.Integer({ ...COUNT, description: 'Deliveries with attempts left; at most 1,000 are counted' }),
    behind: Type.Integer({ ...COUNT, description: 'Events without a delivery yet, also those that it does not want' }),
  },
  { title: 'EndpointHealth', description: 'A webhook endpoint of any owner, and how its deliveries go' },
);

const DeliveryOfOwner = Type.Object(
  {
    owner: OwnerName,
    endpoint_id: Uuid,
    event_id: Uuid,
    position: Type.Integer({ ...COUNT, description: 'Of the event in the feed of its owner' }),
    type: Type.String({ ...TEXT, maxLength: 100, description: 'Of the event' }),
    aggregate: Type.String({ ...TEXT, maxLength: 64, description: 'What the event is about' }),
    aggregate_id: Uuid,
    status: Type.String({ enum: [...DELIVERY_STATUSES] }),
    attempts: Type.Integer({ format: 'int32', minimum: 0, maximum: ATTEMPTS_MAX }),
    last_status: nullable(Type.Integer({ format: 'int32', minimum: 100, maximum: 999 })),
    last_error: nullable(Type.String({ ...TEXT, maxLength: 64 })),
    occurred_at: Time,
    delivered_at: nullable(Time, { description: 'When the endpoint last accepted it' }),
    next_attempt_at: OptionalTimestamp,
  },
  { title: 'DeliveryOfOwner', description: 'The delivery of an event of any owner' },
);

const pageOfOwners = (title: string, element: typeof EndpointHealth | typeof DeliveryOfOwner) =>
  Type.Object(
    { ...pageOf(title, element).properties, owners: LookedAt },
    { title, description: 'One page, with the owners that it has looked at' },
  );

const time = (description: string) => Type.Unsafe<string>({ ...DateTime, title: undefined, description });

/** What operations on the webhooks of all owners use. */
export interface WebhookParts {
  readonly webhooksOfOwners: WebhooksOfOwners;
}

const NAMES = ['limit', 'after', 'endpoint_id', 'status', 'occurred_at_from', 'occurred_at_before'] as const;

/** Reads the query of a list of several owners, with those parameters of it that it has. */
function readOwnersQuery(request: FastifyRequest, list: string, names: readonly (typeof NAMES)[number][]) {
  const faults = RequestFaults.of(request);
  const sent = readQuery(request, names, faults, {
    times: names.filter((name) => name.startsWith('occurred')),
  });
  const { owner } = operatorOf(request);
  const invalid = new InvalidFields();
  const read = <T>(value: string | undefined, parse: (text: string) => T | undefined): T | null =>
    value === undefined ? null : (parse(value) ?? null);
  const endpoint_id = read(sent.endpoint_id, (id) => invalid.readUuid(id, 'endpoint_id'));
  const status = read(sent.status, (text) => invalid.readOneOf(text, 'status', DELIVERY_STATUSES));
  const from = read(sent.occurred_at_from, (text) => invalid.readTimestamp(text, 'occurred_at_from'));
  const before = read(sent.occurred_at_before, (text) => invalid.readTimestamp(text, 'occurred_at_before'));
  const filter = [owner, endpoint_id, status, from, before];
  const fingerprint: CursorFingerprint<'string'> = { list, sort: 'owner', filter, value: 'string' };
  const position = readCursor(sent.after, fingerprint, faults);
  const query = {
    owner,
    endpoint_id,
    status,
    from,
    before,
    after: placeOf(position),
    limit: readLimit(sent.limit, faults),
  };
  if (position && !query.after)
    faults.add('invalid_cursor', 'after', 'invalid_value', 'must be a next_cursor of this list');
  const present = (found: Page | null): Result<SuccessResponse, Problem> => {
    if (!found) return err(INVALID_CURSOR);
    const { data, next, owners } = found;
    const next_cursor =
      next && encodeCursor(fingerprint, { value: `${next.position} ${next.owner_digest}`, id: next.endpoint_id });
    const page = { limit: query.limit, has_more: next !== null, next_cursor };
    return uncached({ data, page, owners: { ...owners, passed_over: [] } });
  };
  const parsed = invalid.toResult({ query, present });
  return faults.toResult(null, () => parsed).andThen(() => parsed.mapErr(toListProblem));
}

/** Returns the place of a cursor, which a client may have made up; `null` for none. */
function placeOf(cursor: { readonly value: string; readonly id: string } | undefined): Place | null {
  const [, position, owner_digest] = /^(\d{1,15}) ([\w-]{11})$/.exec(cursor?.value ?? '') ?? [];
  if (owner_digest === undefined || !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor?.id ?? ''))
    return null;
  return { owner_digest, endpoint_id: cursor?.id ?? '', position: Number(position) };
}

const INVALID_CURSOR: Problem = toListProblem({
  type: 'validation_failed',
  errors: [{ field: 'after', code: 'invalid_value', message: 'must be a next_cursor of this list and query' }],
});

/** Returns the operations on the webhooks of all owners. */
export function webhookOperations({ webhooksOfOwners }: WebhookParts): readonly OperatorOperation[] {
  const after = PAGE_QUERY.after;
  return [
    {
      id: 'list_endpoints_of_owners',
      summary: 'List the webhook endpoints of all owners',
      description:
        'By owner and id, with their health: when each last accepted a delivery, since when it fails, and what waits. Of the owner in `Orders-Owner`, or of all.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: '/admin/v1/webhook_endpoints',
      role: 'viewer',
      query: { limit: PAGE_QUERY.limit, after },
      response: { schema: pageOfOwners('EndpointsOfOwners', EndpointHealth) },
      handle: (request) =>
        readOwnersQuery(request, 'endpoints', ['limit', 'after']).asyncAndThen(({ query, present }) =>
          webhooksOfOwners.endpoints(query).mapErr(toProblem).andThen(present),
        ),
    },
    {
      id: 'list_deliveries_of_owners',
      summary: 'List the deliveries of all owners',
      description:
        'By owner and endpoint, the newest event of an endpoint first. A page looks at a bounded number of deliveries, so that it may be empty while `next_cursor` goes on. Of the owner in `Orders-Owner`, or of all.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: '/admin/v1/deliveries',
      role: 'viewer',
      query: {
        limit: PAGE_QUERY.limit,
        after,
        endpoint_id: describedUuid('Of this endpoint'),
        status: Type.String({ enum: [...DELIVERY_STATUSES], description: 'Only deliveries with this status' }),
        occurred_at_from: time('Of events that occurred at this time or later'),
        occurred_at_before: time('Of events that occurred before this time'),
      },
      response: { schema: pageOfOwners('DeliveriesOfOwners', DeliveryOfOwner) },
      handle: (request) =>
        readOwnersQuery(request, 'deliveries', NAMES).asyncAndThen(({ query, present }) =>
          webhooksOfOwners.deliveries(query).mapErr(toProblem).andThen(present),
        ),
    },
  ];
}
