import type { Result, ResultAsync } from 'neverthrow';
import type { OrderDefinition } from './order-lifecycle.ts';
import type { Timestamp } from '../shared/clock.ts';
import { deepFreeze } from '../shared/frozen.ts';
import { isOwner, type Owner } from '../shared/ids.ts';
import { readFilters } from '../shared/list-filters.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, invalidField, type ValidationFailed } from '../shared/validation.ts';
import { filtersOfOwners, type OwnersOrderQueryInput } from './orders-of-owners.ts';

/** What a job may do. */
export const JOB_KINDS = Object.freeze(['redeliver', 'cancel'] as const);
/** What is sent again: what failed, or what the endpoint accepted. */
export const REDELIVERED_STATUSES = Object.freeze(['failed', 'delivered'] as const);

/** The most jobs that may count or act at a time: they take turns. */
export const OPEN_JOBS_MAX = 100;

/** The error of a further one. */
export const TOO_MANY_JOBS: ValidationFailed = deepFreeze(
  invalidField('kind', 'invalid_value', `must wait until fewer than ${OPEN_JOBS_MAX} jobs are open, or cancel one`),
);

/** Which deliveries are sent again. */
export interface RedeliverFilter {
  /** Default: all owners. */
  readonly owner?: Owner | undefined;
  /** Default: all endpoints. */
  readonly endpoint_id?: string | undefined;
  /** What failed, or what the endpoint accepted. */
  readonly status: (typeof REDELIVERED_STATUSES)[number];
  /** When the event occurred, at the earliest; of an accepted one, when it was accepted. */
  readonly from?: Timestamp | undefined;
  /** The end of the same time. */
  readonly before?: Timestamp | undefined;
}

/**
 * Which orders are cancelled: the input of {@link parseOwnersOrderQuery}, without lookups of custom data, which may be personal.
 * Those in a status that does not lead to the cancel status are left out.
 */
export interface CancelFilter extends Omit<OwnersOrderQueryInput, 'limit' | 'status'> {
  /** Default: all owners. */
  readonly owner?: Owner | undefined;
  /** Default: every status. */
  readonly statuses?: readonly string[] | undefined;
}

/** What a job does, and to what. */
export type JobWork =
  | { readonly kind: 'redeliver'; readonly filter: RedeliverFilter }
  | { readonly kind: 'cancel'; readonly filter: CancelFilter };

/** It counts, waits after a dry run, acts, and has ended. */
export type JobStatus = 'counting' | 'counted' | 'running' | 'done' | 'cancelled';

/** A record that a job could not change. */
export interface JobError {
  readonly owner: Owner;
  /** The id of the order. */
  readonly id: string;
  /** The type of the error, such as `order_not_found`. */
  readonly error: string;
}

/** What a job has done. */
export interface JobProgress {
  /** The owners that it has passed, in its count, or since it acts. */
  readonly owners: number;
  /** How many the count has found. It acts on as many at most. */
  readonly matched: number;
  /** How many it has acted on, also in vain. */
  readonly taken: number;
  readonly failed: number;
  /** The first 100 of those that failed. */
  readonly errors: readonly JobError[];
  /** How many owners it could not look at, and the first 100 of them. */
  readonly left_out: number;
  readonly left_out_owners: readonly Owner[];
  /** Whether a node of Citus was down, so that those of its owners were left out that no one can list. */
  readonly node_down: boolean;
}

/** Who did it, and why. */
interface By {
  readonly actor: string;
  /** `null` if no reason was given. */
  readonly reason: string | null;
}

/** A job of an operator. */
export type OperatorJob = JobWork &
  JobProgress &
  By & {
    /** A UUID that rises with the time. */
    readonly id: string;
    readonly status: JobStatus;
    readonly dry_run: boolean;
    /** What was created later is left alone. */
    readonly created_at: Timestamp;
    readonly ended_at: Timestamp | null;
  };

/** The jobs of operators. Every change of an operator is recorded with it, or not made. */
export interface OperatorJobs {
  /** Stores a job, which a server then works on, unless {@link OPEN_JOBS_MAX} are open. After a dry run it waits until it is started. */
  create(
    work: JobWork & { readonly dry_run: boolean },
    at: Timestamp,
    by: By,
  ): ResultAsync<OperatorJob, ValidationFailed | Unavailable>;
  /** Returns jobs from the newest on, before an id; at most 100. */
  list(query: {
    readonly before: string | null;
    readonly limit: number;
  }): ResultAsync<readonly OperatorJob[], Unavailable>;
  /** Returns a job; `null` for an unknown id. */
  get(id: string): ResultAsync<OperatorJob | null, Unavailable>;
  /** Lets a job act that has counted. One in another status stays as it is; `null` for an unknown id. */
  start(id: string, by: By): ResultAsync<OperatorJob | null, Unavailable>;
  /** Ends a job. One that has ended stays as it is; `null` for an unknown id. */
  cancel(id: string, at: Timestamp, by: By): ResultAsync<OperatorJob | null, Unavailable>;
}

/** Parses what a job is to do, `{ kind, filter, dry_run? }`, and reports every invalid member. */
export function parseJob(
  input: unknown,
  definition: OrderDefinition,
): Result<JobWork & { readonly dry_run: boolean }, ValidationFailed> {
  const invalid = new InvalidFields();
  const { kind: given, filter = {}, dry_run = false } = invalid.readObject(input, ['kind', 'filter', 'dry_run']);
  const kind = invalid.readOneOf(given, 'kind', JOB_KINDS);
  const isDryRun = dry_run === true;
  if (typeof dry_run !== 'boolean') invalid.add('dry_run', 'wrong_type', 'must be true or false');
  const within = { input: filter, invalid, definition };
  if (kind === 'cancel') return invalid.toResult({ kind, filter: readCancelFilter(within), dry_run: isDryRun });
  return invalid.toResult({ kind: 'redeliver', filter: readRedeliverFilter(within), dry_run: isDryRun });
}

interface Within {
  readonly input: unknown;
  readonly invalid: InvalidFields;
  readonly definition: OrderDefinition;
}

function readCancelFilter({ input, invalid, definition }: Within): CancelFilter {
  const { status: statuses, ...others } = filtersOfOwners({ ...definition, lookups: {} });
  const filters = { statuses, ...others };
  const sent = membersOf(input, ['owner', ...Object.keys(filters)], invalid);
  const read = Object.entries({ ...readFilters(filters, sent, invalid, 'filter.'), lookup: sent['lookup'] ?? null });
  const owner = readOwnerOf(sent, invalid);
  return { owner, ...Object.fromEntries(read.filter(([, value]) => value !== null)) };
}

function readRedeliverFilter({ input, invalid }: Within): RedeliverFilter {
  const times = ['from', 'before'] as const;
  const sent = membersOf(input, ['owner', 'endpoint_id', 'status', ...times], invalid);
  const status = invalid.readOneOf(sent['status'] ?? 'failed', 'filter.status', REDELIVERED_STATUSES) ?? 'failed';
  const endpoint = sent['endpoint_id'];
  const endpoint_id = endpoint === undefined ? undefined : invalid.readUuid(endpoint, 'filter.endpoint_id');
  const [from, before] = readRange(sent, times, invalid);
  // Without an end in time it would be all that was ever accepted.
  for (const name of status === 'delivered' ? times : [])
    if (sent[name] === undefined) invalid.add(`filter.${name}`, 'required', 'is required with the status delivered');
  return { owner: readOwnerOf(sent, invalid), endpoint_id, status, from, before };
}

function membersOf(
  input: unknown,
  known: readonly string[],
  invalid: InvalidFields,
): Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    invalid.add('filter', 'wrong_type', 'must be an object');
    return {};
  }
  const members: Readonly<Record<string, unknown>> = { ...input };
  invalid.rejectUnknownFields(members, known, 'filter');
  return members;
}

function readOwnerOf({ owner }: Readonly<Record<string, unknown>>, invalid: InvalidFields): Owner | undefined {
  if (owner === undefined || isOwner(owner)) return owner;
  return invalid.add('filter.owner', 'invalid_value', 'must be 1 to 255 printable ASCII characters');
}

function readRange(
  sent: Readonly<Record<string, unknown>>,
  [begin, end]: readonly [string, string],
  invalid: InvalidFields,
): readonly [Timestamp | undefined, Timestamp | undefined] {
  const [from, before] = [begin, end].map((name) =>
    sent[name] === undefined ? undefined : invalid.readTimestamp(sent[name], `filter.${name}`),
  );
  if (from !== undefined && before !== undefined && from >= before)
    invalid.add(`filter.${end}`, 'out_of_range', `must be after ${begin}`);
  return [from, before];
}
