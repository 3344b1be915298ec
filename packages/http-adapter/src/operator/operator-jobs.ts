import {
  InvalidFields,
  isOwner,
  type OrderDefinition,
  type Owner,
  type Timestamp,
  type Unavailable,
  type ValidationFailed,
} from '@orders/domain';
import type { Result, ResultAsync } from 'neverthrow';

/** What a job may do. */
export const JOB_KINDS = ['redeliver', 'cancel'] as const;
/** What is sent again: what failed, or what the endpoint accepted. */
export const REDELIVERED_STATUSES = ['failed', 'delivered'] as const;

/** Which deliveries are sent again. */
export interface RedeliverFilter {
  readonly owner?: Owner | undefined;
  readonly endpoint_id?: string | undefined;
  readonly status: (typeof REDELIVERED_STATUSES)[number];
  readonly from?: Timestamp | undefined;
  readonly before?: Timestamp | undefined;
}

/** Which orders are cancelled. */
export interface CancelFilter {
  readonly owner?: Owner | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly created_at_from?: Timestamp | undefined;
  readonly created_at_before?: Timestamp | undefined;
}

/** What a job does, and to what. */
export type JobWork =
  | { readonly kind: 'redeliver'; readonly filter: RedeliverFilter }
  | { readonly kind: 'cancel'; readonly filter: CancelFilter };

/** A job of an operator. */
export type OperatorJob = JobWork & {
  readonly id: string;
  readonly status: string;
  readonly dry_run: boolean;
  readonly actor: string;
  readonly reason: string | null;
  readonly created_at: Timestamp;
  readonly ended_at: Timestamp | null;
  readonly owners: number;
  readonly matched: number;
  readonly taken: number;
  readonly failed: number;
  readonly errors: readonly { readonly owner: Owner; readonly id: string; readonly error: string }[];
  readonly left_out: number;
  readonly left_out_owners: readonly Owner[];
  readonly node_down: boolean;
};

/** Who did it, and why. */
interface By {
  readonly actor: string;
  readonly reason: string | null;
}

/** Stores jobs, as `postgresOperatorJobs(database)` of `@orders/persistence`. */
export interface OperatorJobStore {
  create(work: JobWork & { readonly dry_run: boolean }, at: Timestamp, by: By): ResultAsync<OperatorJob, Unavailable>;
  list(query: {
    readonly before: string | null;
    readonly limit: number;
  }): ResultAsync<readonly OperatorJob[], Unavailable>;
  get(id: string): ResultAsync<OperatorJob | null, Unavailable>;
  start(id: string, by: By): ResultAsync<OperatorJob | null, Unavailable>;
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
  const times = ['created_at_from', 'created_at_before'] as const;
  const sent = membersOf(input, ['owner', 'statuses', ...times], invalid);
  const { statuses: named } = sent;
  const statuses = definition.statuses.filter((known) => Array.isArray(named) && named.includes(known));
  if (named !== undefined && (!Array.isArray(named) || statuses.length === 0 || statuses.length !== named.length))
    invalid.add('filter.statuses', 'invalid_value', `must be some of ${definition.statuses.join(', ')}`);
  const [created_at_from, created_at_before] = readRange(sent, times, invalid);
  return {
    owner: readOwnerOf(sent, invalid),
    statuses: named === undefined ? undefined : statuses,
    created_at_from,
    created_at_before,
  };
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
