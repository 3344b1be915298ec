import { type Domain, type OrderDefinition, untyped } from '@orders/domain';
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

/** Records that are imported at a time. A database connects to fewer at once, so that none of them waits for this program. */
const PARALLEL = 32;

type Outcome = 'customers' | 'orders' | 'existing' | 'versions' | Problem;

/**
 * Imports records of customers and orders of an owner, several at a time. Those of another kind wait for those before
 * them, since orders refer to customers. It may be run again after any interruption.
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
  let kind: unknown;
  const failures: OperatorError[] = [];

  const importOne = async ({ content }: InputRecord): Promise<Outcome> => {
    if ('problem' in content) return content.problem;
    const { kind: name, ...input } = content.value;
    if (name === 'version') return 'versions';
    if (name !== 'customer' && name !== 'order') return UNKNOWN_KIND;
    const imported =
      name === 'customer'
        ? on.importCustomer(owner, input, { dryRun: isDryRun })
        : on.importOrder(owner, input, { dryRun: isDryRun, asHistory });
    return await imported.match(
      ({ replayed }): Outcome => (replayed ? 'existing' : name === 'customer' ? 'customers' : 'orders'),
      (error) => {
        if (error.type === 'unavailable') throw failureOf(error.cause);
        const { type: code, ...members } = error;
        return { code, ...members };
      },
    );
  };

  const work = async (record: InputRecord): Promise<void> => {
    const outcome = await importOne(record);
    if (typeof outcome === 'string') counts[outcome] += 1;
    else {
      counts.failed += 1;
      await onFailure(record.line, outcome);
    }
    onDone(record.end);
  };

  const isOver = () => failures.length > 0 || (stopsOnError && counts.failed > 0);
  for await (const record of records) {
    const next = 'value' in record.content ? record.content.value['kind'] : kind;
    if (next !== kind) await Promise.all(running);
    kind = next;
    while (running.size >= PARALLEL) await Promise.race(running);
    if (isOver()) break;
    const done = work(record)
      .catch((cause: unknown) => {
        failures.push(OperatorError.of(cause));
      })
      .finally(() => running.delete(done));
    running.add(done);
  }
  await Promise.all(running);
  if (failures[0]) throw failures[0];
  return counts;
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
