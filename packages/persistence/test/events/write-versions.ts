import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { FINDS_TABLES } from '../fixtures/execute.ts';

/** What a writer has committed. */
export interface WrittenVersions {
  /** The ids of the events. */
  readonly events: readonly string[];
  /** The last version of each aggregate. */
  readonly versions: ReadonlyMap<string, number>;
}

/** One of so many transactions is rolled back, is slow, or is very slow. */
const ROLLED_BACK = 7;
const SLOW = 3;
const VERY_SLOW = 41;

/**
 * Writes the next versions of aggregates of its own in `count` transactions, as servers with other clocks do. Some
 * transactions are rolled back, and some commit late.
 *
 * @param each the changes of a transaction, each of another aggregate
 */
export async function writeVersions(
  url: string,
  owner: string,
  writer: number,
  count: number,
  each = 1,
): Promise<WrittenVersions> {
  const session = new Client({ connectionString: url, ...FINDS_TABLES });
  await session.connect();
  const events: string[] = [];
  const ids = Array.from({ length: 3 * each }, () => randomUUID());
  const versions = new Map(ids.map((id) => [id, 0]));
  try {
    for (let n = 0; n < count; n += 1) {
      const from = (n % 3) * each;
      const changed = ids.slice(from, from + each).map((id) => ({ id, version: (versions.get(id) ?? 0) + 1 }));
      await session.query('begin');
      // The clocks of the writers differ by a second each.
      const { rows } = await session.query<{ readonly event_id: string }>(
        `insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
         select $1, 'order', id, version, gen_random_uuid(), 'order.updated', '[]',
           clock_timestamp() + $4 * interval '1 second', 1
         from unnest($2::uuid[], $3::int[]) as versions (id, version)
         returning event_id`,
        [owner, changed.map(({ id }) => id), changed.map(({ version }) => version), writer - 3],
      );
      if (n % VERY_SLOW === writer) await session.query('select pg_sleep(0.2)');
      else if (n % SLOW === writer % SLOW) await session.query('select pg_sleep(0.01)');
      const isKept = (n + writer) % ROLLED_BACK !== 0;
      await session.query(isKept ? 'commit' : 'rollback');
      if (!isKept) continue;
      for (const { id, version } of changed) versions.set(id, version);
      for (const { event_id } of rows) events.push(event_id);
    }
  } finally {
    await session.end();
  }
  return { events, versions };
}
