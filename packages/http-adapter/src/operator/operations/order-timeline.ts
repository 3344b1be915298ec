import type { OrderDefinition } from '@orders/domain';
import {
  isPersonalField,
  type OrderTimeline,
  type OrderTimelines,
  parseTimelineQuery,
  readTimeline,
  type TimelineEntry,
} from '@orders/domain/operators';
import type { FastifyRequest } from 'fastify';
import { okAsync, type Result } from 'neverthrow';
import { GET } from '../../api/operation.ts';
import { PAGE_QUERY } from '../../api/schemas.ts';
import type { Problem } from '../../problems/problem.ts';
import { readPage } from '../../request/page-request.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { isRecord, readId, readQuery } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { presentPage } from '../../response/page-response.ts';
import { toListResponse } from '../../response/responses.ts';
import { recordRead } from '../acting-for-owner.ts';
import { masked } from '../masked.ts';
import { includesRole, type OperatorAudit, type OperatorOperation } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { timelineSchema } from './timeline-schemas.ts';

/** What the operation on timelines uses. */
export interface TimelineParts {
  readonly timelines: OrderTimelines;
  readonly audit: Pick<OperatorAudit, 'record'>;
  readonly definition: OrderDefinition;
}

const OPERATION = { id: 'get_order_timeline', scope: 'orders:read' } as const;

/** Returns the operation that reads what happened to an order. */
export function timelineOperations({ timelines, audit, definition }: TimelineParts): readonly OperatorOperation[] {
  return [
    {
      ...OPERATION,
      summary: 'Read what happened to an order',
      description:
        'Returns one page of what is known to have happened to an order, oldest first, also after its deletion: its versions with what they changed, who made them, and whom their events were sent to, and the comments of operators. The first page has a summary. A page ends early like a page of orders. A viewer gets it without personal data; otherwise it is recorded.',
      ...GET,
      path: '/admin/v1/orders/:id/timeline',
      role: 'viewer',
      about: 'owner',
      changes: false,
      reveals: () => true,
      query: { limit: PAGE_QUERY.limit, after: PAGE_QUERY.after },
      problems: ['order_not_found'],
      response: { schema: timelineSchema(definition) },
      handle: (request) =>
        readTimelineRequest(request).asyncAndThen(({ id, page }) => {
          const isMasked = !includesRole(operatorOf(request).role, 'support');
          const { limit, after } = page;
          const read = readTimeline(timelines, ownerOf(request), id, { limit, after });
          return toListResponse(read, (found) => {
            const shown = isMasked ? maskedTimeline(found) : found;
            return presentPage(request, page, { ...found, data: shown.data }).map((response) => ({
              ...response,
              body: { summary: shown.summary, ...(isRecord(response.body) && response.body) },
            }));
          }).andThen((response) =>
            isMasked ? okAsync(response) : recordRead(request, OPERATION, { audit }).map(() => response),
          );
        }),
    },
  ];
}

const CURSOR = { list: 'timeline', sort: 'version', filter: [], value: 'string' } as const;

function readTimelineRequest(request: FastifyRequest) {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const page = readPage(readQuery(request, ['limit', 'after'], faults), CURSOR, faults);
  const { limit, after } = page;
  const read: Result<{ readonly id: typeof id; readonly page: typeof page }, Problem> = faults.toResult(
    { id, page },
    () => parseTimelineQuery({ limit, after }),
  );
  return read;
}

/** Returns a timeline as an erasure of all persons would leave it, with the hosts of endpoints alone. */
function maskedTimeline(timeline: OrderTimeline): Pick<OrderTimeline, 'summary' | 'data'>;
function maskedTimeline({ summary, data }: OrderTimeline): unknown {
  return masked({ summary, data: data.map(withoutPersonalChanges) });
}

function withoutPersonalChanges(entry: TimelineEntry): TimelineEntry {
  if (entry.kind === 'comment') return entry;
  return { ...entry, changes: entry.changes && entry.changes.filter(({ field }) => !isPersonalField(field)) };
}
