import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import { readImportedTime } from '../shared/imported-values.ts';
import type { InvalidFields } from '../shared/validation.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { leadsTo } from './order-lifecycle.ts';

/** The status of an imported order, and when what happened. */
export interface ImportedTimes {
  readonly status: string;
  readonly updated_at: Timestamp;
  /** The times of statuses, by member. */
  readonly entered: Readonly<Record<string, Timestamp | null>>;
}

/**
 * Reads the status and times of an imported order. The lifecycle must lead from each status with a time to those that were
 * entered later, and the last one is the status. `others` are the times of the adjustments and fulfillments.
 */
export function readImportedTimes(
  members: Readonly<Record<string, unknown>>,
  definition: OrderDefinition,
  { now, created_at, others }: { now: Timestamp; created_at: Timestamp; others: readonly Timestamp[] },
  invalid: InvalidFields,
): ImportedTimes {
  const entered: Record<string, Timestamp | null> = {};
  const entries: Entry[] = [];
  for (const status of definition.statuses) {
    const member = definition.entries[status]?.time;
    if (!member) continue;
    const time = readImportedTime(members[member], member, created_at, now, invalid) ?? null;
    entered[member] = time;
    if (time !== null) entries.push({ status, member, time });
  }
  const status = readStatus(members['status'], definition, invalid);
  checkEntries(status, entries, definition, invalid);
  const last = [...entries.map(({ time }) => time), ...others].reduce(laterTimestamp, created_at);
  const updated_at = readImportedTime(members['updated_at'], 'updated_at', last, now, invalid) ?? last;
  return { status, updated_at, entered };
}

/** The last time at which an order entered a status. */
interface Entry {
  readonly status: string;
  readonly member: string;
  readonly time: Timestamp;
}

function readStatus(input: unknown, definition: OrderDefinition, invalid: InvalidFields): string {
  if (input === undefined || input === null) return definition.initial;
  return invalid.readOneOf(input, 'status', definition.statuses) ?? definition.initial;
}

/** Checks that the lifecycle has a way through the statuses in the order of their times, which ends in `status`. */
function checkEntries(
  status: string,
  entries: readonly Entry[],
  definition: OrderDefinition,
  invalid: InvalidFields,
): void {
  const member = definition.entries[status]?.time;
  const current = entries.find((entry) => entry.status === status);
  if (member && !current && !invalid.isFull())
    invalid.add(member, 'required', `is required, as the status is ${status}`);
  for (const entry of entries) {
    const { member: path, status: earlier, time } = entry;
    if (earlier === status) continue;
    const isLast = current !== undefined && time > current.time;
    if (isLast) invalid.add(path, 'out_of_range', `must not be after ${current.member}, as the status is ${status}`);
    else if (leadsTo(earlier, status, definition)) checkLater(entry, entries, definition, invalid);
    else invalid.add(path, 'invalid_value', `must not be set, as no transitions lead from ${earlier} to ${status}`);
  }
}

/** Checks that transitions lead from a status to those that were entered later. */
function checkLater(
  { status, member, time }: Entry,
  entries: readonly Entry[],
  definition: OrderDefinition,
  invalid: InvalidFields,
): void {
  for (const later of entries)
    if (later.time > time && !leadsTo(status, later.status, definition))
      invalid.add(member, 'out_of_range', `must not be before ${later.member}`);
}
