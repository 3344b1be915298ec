import { BATCH_MAX, type Domain, type OrderDefinition, untyped } from '@orders/domain';
import type { Result } from 'neverthrow';
import { OperatorError, reasonOf } from '../../operator-error.ts';
import type { InputRecord, Problem } from './input-records.ts';

/** How to import. */
export interface ImportSettings {
  readonly isDryRun: boolean;
  readonly asHistory: boolean;
  /** Whether no further record is read after one that failed. */
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
}

/** Records that are imported together. */
const TOGETHER = BATCH_MAX;

/** Bytes of the input that are imported together, but for a single record with more: what they become takes many times that. */
const BYTES_TOGETHER = 4 * 1024 * 1024;

/** Imports at a time: as many as keep the database busy while the next records are read. */
const PARALLEL = 4;

type Outcome = 'customers' | 'orders' | 'existing' | 'versions' | Problem;

/** Records of one kind, which are imported together. */
interface Batch {
  readonly kind: 'customer' | 'order';
  readonly records: { readonly line: number; readonly end: number; readonly input: unknown }[];
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
  const counts: ImportCounts = { customers: 0, orders: 0, existing: 0, versions: 0, failed: 0 };
  const on = untyped(domain);
  const running = new Set<Promise<void>>();
  const failures: OperatorError[] = [];

  const importBatch = async ({ kind, records: read }: Batch): Promise<void> => {
    const inputs = read.map(({ input }) => input);
    const outcomes =
      kind === 'customer'
        ? await on.importCustomers(owner, inputs, { dryRun: isDryRun })
        : await on.importOrders(owner, inputs, { dryRun: isDryRun, asHistory });
    for (const [index, outcome] of outcomes._unsafeUnwrap().entries()) {
      const { line = 0, end = 0 } = read[index] ?? {};
      await settle(line, end, outcomeOf(kind, outcome));
    }
  };

  const settle = async (line: number, end: number, outcome: Outcome): Promise<void> => {
    if (typeof outcome === 'string') counts[outcome] += 1;
    else {
      counts.failed += 1;
      await onFailure(line, outcome);
    }
    onDone(end);
  };

  /** Begins an import, when fewer than the most are under way. */
  const begin = async (batch: Batch): Promise<void> => {
    while (running.size >= PARALLEL) await Promise.race(running);
    if (isOver()) return;
    const done = importBatch(batch)
      .catch((cause: unknown) => {
        failures.push(OperatorError.of(cause));
      })
      .finally(() => running.delete(done));
    running.add(done);
  };

  const isOver = () => failures.length > 0 || (stopsOnError && counts.failed > 0);
  let batch: Batch = { kind: 'customer', records: [] };
  let start = 0;
  let last = 0;
  for await (const { line, end, content } of records) {
    if (isOver()) break;
    const record = 'problem' in content ? content : recordOf(content.value);
    if ('problem' in record) await settle(line, end, record.problem);
    else if (record.kind === 'version') await settle(line, end, 'versions');
    else {
      const isOfAnotherKind = record.kind !== batch.kind;
      if (isOfAnotherKind || batch.records.length === TOGETHER || end - start > BYTES_TOGETHER) {
        await begin(batch);
        batch = { kind: record.kind, records: [] };
        start = last;
      }
      if (isOfAnotherKind) await Promise.all(running);
      batch.records.push({ line, end, input: record.input });
    }
    last = end;
  }
  await begin(batch);
  await Promise.all(running);
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
  if (code === 'unavailable') throw failureOf(cause);
  return code === 'internal_error' ? { code, detail: reasonOf(cause) } : { code, ...members };
}

const UNKNOWN_KIND: Problem = {
  code: 'validation_failed',
  errors: [{ field: 'kind', message: 'must be customer or order', code: 'invalid_value' }],
};

function failureOf(cause: unknown): OperatorError {
  return new OperatorError([`the database query failed: ${reasonOf(cause)}; run the same command again to continue`], {
    cause,
  });
}
