import { BATCH_MAX, type Domain, type OrderDefinition, untyped } from '@orders/domain';
import type { Result } from 'neverthrow';
import { OperatorError, reasonOf } from '../../operator-error.ts';
import { BY_COMMAND } from '../audited.ts';
import { databaseFailure } from '../database-result.ts';
import type { InputRecord, Problem } from './input-records.ts';

/** How to import. */
export interface ImportSettings {
  readonly isDryRun: boolean;
  readonly asHistory: boolean;
  /** Whether nothing behind the first record that fails is imported, and everything before it is. */
  readonly stopsOnError: boolean;
  /** Receives why a record failed. */
  readonly onFailure: (line: number, problem: Problem) => Promise<void>;
  /** Called for each record that is done, with the bytes of the input up to its end. */
  readonly onDone: (end: number) => void;
}

/** What an import did. */
export interface ImportCounts {
  customers: number;
  orders: number;
  /** Records that were imported before. */
  existing: number;
  /** Earlier versions, which are not imported. */
  versions: number;
  failed: number;
  /** The last line of the record that was imported or existed, and is behind all others that are; 0 without one. */
  lastLine: number;
}

/** Records that are imported together. */
const TOGETHER = BATCH_MAX;

/** Bytes of the input that are imported together, but for a single record with more: what they become takes many times that. */
const BYTES_TOGETHER = 1024 * 1024;

/**
 * Imports at a time: as many as keep the database busy while the next records are read. An import that stops at a failure
 * has one, so that nothing behind it is stored.
 */
const PARALLEL = 4;

type Outcome = 'customers' | 'orders' | 'existing' | 'versions' | Problem;

/** Where a record is in the input. */
type Place = Omit<InputRecord, 'content'>;

/** Records of one kind, which are imported together. */
interface Batch {
  readonly kind: 'customer' | 'order';
  readonly records: (Place & { readonly input: unknown })[];
}

/**
 * Imports records of customers and orders of an owner, many together. Those of another kind wait for those before them,
 * since orders refer to customers. It may be run again after any interruption.
 *
 * @throws {OperatorError} the database query failed
 */
export async function importRecords(
  domain: Domain<OrderDefinition>,
  owner: string,
  records: AsyncIterable<InputRecord>,
  { isDryRun, asHistory, stopsOnError, onFailure, onDone }: ImportSettings,
): Promise<ImportCounts> {
  const counts: ImportCounts = { customers: 0, orders: 0, existing: 0, versions: 0, failed: 0, lastLine: 0 };
  const on = untyped(domain);
  const running = new Set<Promise<void>>();
  const failures: OperatorError[] = [];

  const importBatch = async ({ kind, records: read }: Batch): Promise<void> => {
    const inputs = read.map(({ input }) => input);
    const options = { dryRun: isDryRun, stopOnError: stopsOnError, ...BY_COMMAND };
    const outcomes =
      kind === 'customer'
        ? await on.importCustomers(owner, inputs, options)
        : await on.importOrders(owner, inputs, { ...options, asHistory });
    for (const [index, outcome] of outcomes._unsafeUnwrap().entries()) {
      const record = read[index];
      if (record) await settle(record, outcomeOf(kind, outcome));
    }
  };

  const settle = async ({ line, lastLine, end }: Place, outcome: Outcome): Promise<void> => {
    if (typeof outcome === 'string') {
      counts[outcome] += 1;
      if (outcome !== 'versions') counts.lastLine = Math.max(counts.lastLine, lastLine);
    } else {
      counts.failed += 1;
      await onFailure(line, outcome);
    }
    onDone(end);
  };

  /** Begins to import the batch, when fewer than the most are under way. */
  const begin = async (): Promise<void> => {
    while (running.size >= (stopsOnError ? 1 : PARALLEL)) await Promise.race(running);
    const begun = batch;
    batch = { kind: begun.kind, records: [] };
    start = last;
    if (isOver() || begun.records.length === 0) return;
    const done = importBatch(begun)
      .catch((cause: unknown) => {
        failures.push(OperatorError.of(cause));
      })
      .finally(() => running.delete(done));
    running.add(done);
  };

  /** Imports the batch, and waits until no import is under way. */
  const finish = async (): Promise<void> => {
    await begin();
    await Promise.all(running);
  };

  const isOver = () => failures.length > 0 || (stopsOnError && counts.failed > 0);
  let batch: Batch = { kind: 'customer', records: [] };
  let start = 0;
  let last = 0;
  for await (const { content, ...place } of records) {
    const record = 'problem' in content ? content : recordOf(content.value);
    if ('problem' in record && stopsOnError) await finish();
    else if ('kind' in record && record.kind !== 'version') {
      if (record.kind !== batch.kind) {
        await finish();
        batch = { kind: record.kind, records: [] };
      } else if (batch.records.length === TOGETHER || place.end - start > BYTES_TOGETHER) await begin();
    }
    if (isOver()) break;
    if ('problem' in record) await settle(place, record.problem);
    else if (record.kind === 'version') await settle(place, 'versions');
    else batch.records.push({ ...place, input: record.input });
    last = place.end;
  }
  await finish();
  if (failures[0]) throw failures[0];
  return counts;
}

type Read = { readonly kind: Batch['kind'] | 'version'; readonly input: unknown } | { readonly problem: Problem };

function recordOf({ kind, ...input }: Readonly<Record<string, unknown>>): Read {
  return kind === 'customer' || kind === 'order' || kind === 'version' ? { kind, input } : { problem: UNKNOWN_KIND };
}

/** Returns what became of a record, or throws if the database failed. */
function outcomeOf(
  kind: Batch['kind'],
  outcome: Result<{ readonly replayed: boolean }, { readonly type: string; readonly cause?: unknown }>,
): Outcome {
  if (outcome.isOk()) return outcome.value.replayed ? 'existing' : kind === 'customer' ? 'customers' : 'orders';
  const { type: code, cause, ...members } = outcome.error;
  if (code === 'unavailable') throw databaseFailure(cause, '; run the same command again to continue');
  return code === 'internal_error' ? { code, detail: reasonOf(cause) } : { code, ...members };
}

const UNKNOWN_KIND: Problem = {
  code: 'validation_failed',
  errors: [{ field: 'kind', message: 'must be customer or order', code: 'invalid_value' }],
};
