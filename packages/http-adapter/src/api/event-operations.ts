import type { OrderDefinition, Owner } from '@orders/domain';
import {
  type EventFeed,
  FEED_WAITS_PER_OWNER_MAX,
  type FeedEvent,
  type FeedPage,
  type FeedPosition,
  type FeedQuery,
  parseFeedQuery,
  type PresentedEvent,
  presentEvent,
  type ReadFeedError,
} from '@orders/domain/events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { toListProblem, toProblem } from '../problems/from-domain.ts';
import type { Problem } from '../problems/problem.ts';
import { encodeCursor } from '../request/cursor.ts';
import { readCursor } from '../request/page-request.ts';
import { RequestFaults } from '../request/request-faults.ts';
import { readInteger, readQuery } from '../request/request-parameters.ts';
import { ownerOf } from '../request-state.ts';
import { nextPage } from '../response/page-response.ts';
import type { SuccessResponse } from '../response/send-response.ts';
import { type Operation, READ } from './operation.ts';
import { eventQuery, eventSchemas, WAIT_SECONDS_MAX } from './event-schemas.ts';
import { readScopesOf, requireScopes, type ScopeChallenge } from './event-scopes.ts';
import type { EventWaiters } from './event-waiters.ts';

/** The parts that the operation on events needs. */
export interface EventParts {
  readonly feed: EventFeed<OrderDefinition>;
  readonly definition: OrderDefinition;
  readonly waiters: EventWaiters;
  readonly scopeChallenge: ScopeChallenge;
}

/** Returns the operations on events. */
export function eventOperations(parts: EventParts): readonly Operation[] {
  return [
    {
      id: 'list_events',
      summary: 'List events',
      description:
        'Returns the changes of your orders and customers, oldest first. Continue with `next_cursor` and `wait` to follow them.',
      method: 'GET',
      path: '/events',
      scope: 'events:read',
      cost: READ,
      body: null,
      query: eventQuery(parts.definition),
      response: { schema: eventSchemas(parts.definition).EventList },
      problems: ['feed_reset', 'events_expired', 'too_many_waiters'],
      waitMaxMs: WAIT_SECONDS_MAX * 1000,
      handle: (request, reply) =>
        readListEvents(request, parts.definition)
          .andThen((wanted) => checkScopes(request, wanted, parts.scopeChallenge))
          .asyncAndThen((wanted) => new ResultAsync(listEvents(parts, request, reply, wanted))),
    },
  ];
}

/** A parsed request for events. */
interface Wanted {
  readonly query: FeedQuery;
  /** The text of `after`. */
  readonly cursor: string | undefined;
  readonly waitMs: number;
}

const PARAMETERS = ['after', 'start', 'limit', 'types', 'include', 'wait'] as const;

/** A cursor is valid for all queries of the feed, because it is only a position. */
const SCOPE = { list: 'events', sort: 'position', filter: [], value: 'number' } as const;

function readListEvents(request: FastifyRequest, definition: OrderDefinition): Result<Wanted, Problem> {
  const faults = RequestFaults.of(request);
  const { after, start, types, include, ...rest } = readQuery(request, PARAMETERS, faults, {
    sets: ['types', 'include'],
  });
  const limit = readInteger(rest.limit, 'limit', faults);
  const wait = readInteger(rest.wait, 'wait', faults) ?? 0;
  if (wait > WAIT_SECONDS_MAX)
    faults.add('invalid_parameter', 'wait', 'out_of_range', `must be between 0 and ${WAIT_SECONDS_MAX}`);
  const isConflict = after !== undefined && start === 'latest';
  if (isConflict)
    faults.add('conflicting_parameters', 'start', 'invalid_value', 'cannot be latest together with after');
  const input = {
    after: readPosition(after, faults),
    start: isConflict ? undefined : start,
    limit,
    types: types?.split(','),
    include: include?.split(','),
  };
  return faults
    .toResult(wait, () => parseFeedQuery(input, definition))
    .andThen((seconds) =>
      parseFeedQuery(input, definition)
        .mapErr(toListProblem)
        .map((query) => ({ query, cursor: after, waitMs: seconds * 1000 })),
    );
}

function readPosition(cursor: string | undefined, faults: RequestFaults): FeedPosition | undefined {
  const after = readCursor(cursor, SCOPE, faults);
  return after && { position: after.value, event: after.id };
}

function cursorOf({ position, event }: FeedPosition): string {
  return encodeCursor(SCOPE, { value: position, id: event });
}

/** Rejects a request that includes resources, unless its credentials may read those of every requested type. */
function checkScopes(request: FastifyRequest, wanted: Wanted, scopeChallenge: ScopeChallenge): Result<Wanted, Problem> {
  const { include, types } = wanted.query;
  const scopes = include.includes('resource') ? readScopesOf(types) : [];
  return requireScopes(request, scopes, scopeChallenge).map(() => wanted);
}

async function listEvents(
  parts: EventParts,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: Wanted,
): Promise<Result<SuccessResponse, Problem>> {
  const page = await readOrWait(parts, request, reply, wanted);
  const present = (event: FeedEvent<OrderDefinition>) => presentEvent(event, parts.definition);
  return page.map(({ data, ...read }) =>
    presentPage(request, wanted, { ...read, data: data.map(present) }, parts.waiters.isClosed()),
  );
}

/** Maximum number of pages that one request reads, because events of other types end a wait, too. */
const READS_MAX = 10;

/** Returns a page of events. At the end of the feed, first waits for events, if the request wants that. */
async function readOrWait(
  { feed, waiters }: EventParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, waitMs }: Wanted,
): Promise<Result<FeedPage, Problem>> {
  const owner = ownerOf(request);
  const first = await feed.read(owner, query);
  if (waitMs === 0 || first.isErr() || !isAtEnd(first.value)) return first.mapErr(toFeedProblem);
  const waiter = waiters.enter(owner, reply.raw);
  if (waiter === 'limited') return err(TOO_MANY_WAITERS);
  if (waiter === 'full') return ok(first.value);
  try {
    const waited = await waitForEvents(feed, owner, query, { page: first.value, waitMs, signal: waiter.signal });
    return waited.mapErr(toFeedProblem);
  } finally {
    waiter.leave();
  }
}

interface Wait {
  /** The empty page at the end of the feed. */
  readonly page: FeedPage;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Reads the pages after an empty one, whenever the owner may have further events, until one is not empty. */
async function waitForEvents(
  feed: EventFeed<OrderDefinition>,
  owner: Owner,
  query: FeedQuery,
  { page, waitMs, signal }: Wait,
): Promise<Result<FeedPage, ReadFeedError>> {
  const until = performance.now() + waitMs;
  let last = page;
  for (let reads = 1; reads < READS_MAX; reads += 1) {
    const { next } = last;
    const timeoutMs = Math.ceil(until - performance.now());
    if (timeoutMs <= 0) break;
    await feed.wait(owner, next.position, { timeoutMs, signal });
    if (signal.aborted) break;
    const read = await feed.read(owner, { ...query, start: 'oldest', after: next });
    if (read.isErr()) return read;
    last = read.value;
    // The time has ended, or the feed has too many waiters.
    if (last.next.position === next.position || !isAtEnd(last)) break;
  }
  return ok(last);
}

function isAtEnd({ data, caught_up }: FeedPage): boolean {
  return data.length === 0 && caught_up;
}

const TOO_MANY_WAITERS: Problem = {
  code: 'too_many_waiters',
  detail: `At most ${FEED_WAITS_PER_OWNER_MAX} of your requests can wait for events at a time.`,
  headers: { 'retry-after': '1' },
};

function toFeedProblem(error: ReadFeedError): Problem {
  return toProblem(
    error.type === 'events_expired' ? { type: error.type, oldest_cursor: cursorOf(error.oldest) } : error,
  );
}

/**
 * Returns the response for a page, with the `Link` to the next one (RFC 8288) unless it is the last one now. `isLast`
 * closes the connection.
 */
function presentPage(
  request: FastifyRequest,
  { query, cursor: sent }: Wanted,
  { data, next, caught_up }: Omit<FeedPage, 'data'> & { readonly data: readonly PresentedEvent<OrderDefinition>[] },
  isLast: boolean,
): SuccessResponse {
  const isSame = next.position === query.after?.position && next.event === query.after.event;
  const cursor = isSame && sent !== undefined ? sent : cursorOf(next);
  const page = { limit: query.limit, next_cursor: cursor, caught_up };
  const following = caught_up ? undefined : nextPage(request, cursor);
  // A kept connection would delay the end of a server that stops.
  const connection = isLast ? { connection: 'close' } : undefined;
  const headers = { 'cache-control': 'no-store', ...connection };
  return { status: 200, headers, next: following, body: { data, page } };
}
