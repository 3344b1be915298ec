import { FILTER_IDS_MAX, type OrderDefinition, PAGE_LIMIT_MAX } from '@orders/domain';
import {
  JOB_KINDS,
  type JobWork,
  type OperatorJob,
  type OperatorJobs,
  OPEN_JOBS_MAX,
  parseJob,
  REDELIVERED_STATUSES,
} from '@orders/domain/operators';
import type { FastifyRequest } from 'fastify';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { Type } from 'typebox';
import { GET, WRITE } from '../../api/operation.ts';
import { DateTime, nullable, OptionalTimestamp, TEXT, Timestamp, Uuid } from '../../api/schemas.ts';
import { occurrenceOf } from '../../problems/catalog.ts';
import { toProblem } from '../../problems/from-domain.ts';
import type { Problem } from '../../problems/problem.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { readAction, readId } from '../../request/request-parameters.ts';
import { setCreatedId } from '../../request-state.ts';
import { uncached } from '../../response/responses.ts';
import type { SuccessResponse } from '../../response/send-response.ts';
import { masked } from '../masked.ts';
import { includesRole, insufficientRole, type OperatorOperation, type OperatorRole } from '../operator.ts';
import { byOperator, operatorOf } from '../operator-principals.ts';
import { OF_NO_OWNER } from './operation-kinds.ts';
import { NEWEST_QUERY, readNewestQuery } from './read-newest-query.ts';
import { OwnerName } from './schemas.ts';

const COUNT = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const Time = Type.Unsafe<string>({ ...DateTime, title: undefined });
const Total = Type.Integer(COUNT);
const Kind = Type.String({
  title: 'JobKind',
  enum: [...JOB_KINDS],
  description: 'Send events again, or cancel orders',
});
const Filter = Type.Object(
  {
    owner: Type.Optional(OwnerName),
    endpoint_id: Type.Optional(Uuid),
    status: Type.Optional(
      Type.String({
        enum: [...REDELIVERED_STATUSES],
        default: 'failed',
        description: 'Of deliveries: what failed, or what the endpoint accepted',
      }),
    ),
    statuses: Type.Optional(
      Type.Array(Type.String({ ...TEXT, minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Of orders',
      }),
    ),
    from: Type.Optional(Time),
    before: Type.Optional(Time),
    created_at_from: Type.Optional(Time),
    created_at_before: Type.Optional(Time),
    ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: FILTER_IDS_MAX })),
    reference: Type.Optional(Type.String({ ...TEXT, minLength: 1, maxLength: 64 })),
    lookup: Type.Optional(
      Type.String({
        ...TEXT,
        minLength: 1,
        maxLength: 1000,
        description: 'An id in an external system, `external.NAME:ID`',
      }),
    ),
    currency: Type.Optional(Type.String({ ...TEXT, minLength: 1, maxLength: 3 })),
    total_from: Type.Optional(Total),
    total_to: Type.Optional(Total),
  },
  {
    title: 'JobFilter',
    additionalProperties: false,
    description:
      'What a job acts on. `redeliver` has `owner`, `endpoint_id`, `status`, `from` and `before`: the time of the event, and of its acceptance with `delivered`, which needs both. `cancel` has `owner`, `statuses`, `created_at_from`, `created_at_before`, `ids`, `reference`, `lookup`, and `currency` with `total_from` and `total_to` in minor units. Without a member, all match',
  },
);
const NewJob = Type.Object(
  { kind: Kind, filter: Type.Optional(Filter), dry_run: Type.Optional(Type.Boolean({ default: false })) },
  { title: 'NewJob', additionalProperties: false },
);
const Job = Type.Object(
  {
    id: Uuid,
    kind: Kind,
    filter: Filter,
    status: Type.String({
      title: 'JobStatus',
      enum: ['counting', 'counted', 'running', 'done', 'cancelled'],
      description: 'It counts, waits after a dry run until it is started, acts, and has ended',
    }),
    dry_run: Type.Boolean({ description: 'Whether it has to be started' }),
    actor: Type.String({ ...TEXT, maxLength: 255 }),
    reason: nullable(Type.String({ ...TEXT, maxLength: 500 }), { description: 'Null for a viewer' }),
    created_at: Timestamp,
    ended_at: OptionalTimestamp,
    owners: Type.Integer({ ...COUNT, description: 'Owners that it has passed' }),
    matched: Type.Integer({ ...COUNT, description: 'What the count has found. It acts on as many at most' }),
    taken: Type.Integer({ ...COUNT, description: 'What it has acted on, also in vain' }),
    failed: Type.Integer({ ...COUNT, description: 'What it has acted on in vain' }),
    errors: Type.Array(
      Type.Object(
        { owner: OwnerName, id: Uuid, error: Type.String({ ...TEXT, maxLength: 100 }) },
        { title: 'JobError', description: 'An order, and why it could not be cancelled' },
      ),
      { maxItems: 100, description: 'The first of them' },
    ),
    left_out: Type.Integer({ ...COUNT, description: 'Owners that it could not look at' }),
    left_out_owners: Type.Array(OwnerName, { maxItems: 100, description: 'The first of them' }),
    node_down: Type.Boolean({ description: 'A node of Citus did not respond: its owners are left out, too' }),
  },
  { title: 'Job', description: 'What an operator does to many records' },
);

/** What operations on jobs use. */
export interface JobParts {
  readonly jobs: OperatorJobs;
  readonly definition: OrderDefinition;
  readonly now: () => Date;
}

/** The least role that acts by a job of each kind. */
const ROLES: Readonly<Record<JobWork['kind'], OperatorRole>> = { redeliver: 'support', cancel: 'admin' };

const NEEDS = Object.entries(ROLES)
  .map(([kind, role]) => `\`${kind}\` needs \`${role}\``)
  .join(', ');

function requireRole(request: FastifyRequest, { kind }: Pick<JobWork, 'kind'>): Result<null, Problem> {
  const least = ROLES[kind];
  return includesRole(operatorOf(request).role, least) ? ok(null) : err(insufficientRole(least));
}

function presentJob(request: FastifyRequest, job: OperatorJob | null): Result<SuccessResponse, Problem> {
  if (!job) return err(occurrenceOf('not_found'));
  return uncached(operatorOf(request).role === 'viewer' ? masked(job) : job);
}

/** Returns the operations on jobs. */
export function jobOperations({ jobs, definition, now }: JobParts): readonly OperatorOperation[] {
  const ofJob = (request: FastifyRequest, use: (job: OperatorJob) => ResultAsync<OperatorJob | null, Problem>) => {
    const faults = RequestFaults.of(request);
    const id = readId(request, faults);
    return readAction(request)
      .andThen(() => faults.toResult(id.toString()))
      .asyncAndThen((valid) => jobs.get(valid).mapErr(toProblem))
      .andThen((job) => (job ? use(job) : errAsync(occurrenceOf('not_found'))))
      .andThen((job) => presentJob(request, job));
  };
  const change = (id: string, verb: 'start' | 'cancel', summary: string, description: string): OperatorOperation => ({
    id,
    summary,
    description,
    method: 'POST',
    ...OF_NO_OWNER,
    changes: true,
    path: `/admin/v1/jobs/:id/${verb}`,
    role: 'support',
    kinds: ROLES,
    cost: WRITE,
    body: null,
    response: { schema: Job },
    problems: ['not_found'],
    handle: (request) =>
      ofJob(request, (job) =>
        requireRole(request, job).asyncAndThen(() => {
          const by = byOperator(request);
          const changed = verb === 'start' ? jobs.start(job.id, by) : jobs.cancel(job.id, now().toISOString(), by);
          return changed.mapErr(toProblem);
        }),
      ),
  });
  return [
    {
      id: 'create_job',
      summary: 'Act on all that matches a filter',
      description: `A job counts what matches, and then acts on it, in the background, on any server. It acts on nothing that was created after it, and on no more than it has counted. At most ${OPEN_JOBS_MAX} count or act at a time. After a \`dry_run\` it waits until it is started. Each cancel is one as by \`POST /v1/orders/{id}/cancel\`, with the key \`job:{id}:{order}\`. ${NEEDS}.`,
      method: 'POST',
      ...OF_NO_OWNER,
      changes: true,
      path: '/admin/v1/jobs',
      role: 'support',
      kinds: ROLES,
      cost: WRITE,
      body: {
        types: JSON_TYPES,
        schema: NewJob,
        required: true,
        examples: {
          redeliver: {
            kind: 'redeliver',
            filter: { owner: 'shop', from: '2026-01-31T09:00:00Z', before: '2026-01-31T12:00:00Z' },
            dry_run: true,
          },
          cancel: {
            kind: 'cancel',
            filter: { owner: 'shop', created_at_before: '2026-01-01T00:00:00Z' },
            dry_run: true,
          },
        },
      },
      response: { schema: Job },
      handle: (request) =>
        readAction(request)
          .andThen(() => readJson(request))
          .andThen((body) => parseJob(body, definition).mapErr(toProblem))
          .andThen((work) => requireRole(request, work).map(() => work))
          .asyncAndThen((work) => jobs.create(work, now().toISOString(), byOperator(request)).mapErr(toProblem))
          .andThen((job) => {
            setCreatedId(request, job.id);
            return presentJob(request, job);
          }),
    },
    {
      id: 'list_jobs',
      summary: 'List jobs',
      description: 'The newest first.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/jobs',
      role: 'viewer',
      query: NEWEST_QUERY,
      response: { schema: Type.Object({ data: Type.Array(Job, { maxItems: PAGE_LIMIT_MAX }) }, { title: 'Jobs' }) },
      handle: (request) =>
        readNewestQuery(request)
          .asyncAndThen((query) => jobs.list(query).mapErr(toProblem))
          .andThen((data) => uncached(operatorOf(request).role === 'viewer' ? masked({ data }) : { data })),
    },
    {
      id: 'get_job',
      summary: 'Read a job',
      description: 'What it has done until now.',
      ...GET,
      ...OF_NO_OWNER,
      path: '/admin/v1/jobs/:id',
      role: 'viewer',
      response: { schema: Job },
      problems: ['not_found'],
      handle: (request) => ofJob(request, (job) => okAsync(job)),
    },
    change(
      'start_job',
      'start',
      'Let a job act',
      'After a dry run. Of a job that acts already, or has ended, it changes nothing, so that it may be repeated.',
    ),
    change('cancel_job', 'cancel', 'End a job', 'What it has done stays. A job that has ended stays as it is.'),
  ];
}
