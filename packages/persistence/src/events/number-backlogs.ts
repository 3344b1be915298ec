import type { Database } from '../database.ts';
import { Numbering } from './numbering.ts';
import { unnumberedChanges, unnumberedStatement } from './unnumbered-changes.ts';

/** A read gives this number of changes their positions within milliseconds. More are a backlog. */
const BACKLOG = 1000;

/**
 * Gives positions to the changes of all owners that have more than a thousand without one, and returns the number of these
 * owners. Without it, the first read after a long time would return `unavailable`, or pages that have not caught up. Meant
 * to run every minute or so; several servers may. When `signal` is aborted, ends after the current owner's batches.
 *
 * @throws {Error} the database query failed; completed batches keep their positions
 */
export async function numberBacklogs(database: Database, signal?: AbortSignal): Promise<number> {
  const numbering = new Numbering(database);
  const statement = unnumberedStatement(database.orm);
  let owners = 0;
  for await (const { owner_id, count } of unnumberedChanges(database, statement, '-infinity')) {
    if (signal?.aborted) break;
    if (count <= BACKLOG) continue;
    owners += 1;
    while (!signal?.aborted && !(await numbering.number(owner_id)));
  }
  return owners;
}
