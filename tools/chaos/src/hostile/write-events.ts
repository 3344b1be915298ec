import { query } from '../processes/postgres.ts';

/** Gives an owner events without positions, one a second, as if no one had ever read them. */
export async function writeEvents(databaseUrl: string, owner: string, count: number): Promise<void> {
  await query(
    databaseUrl,
    `insert into orders.changes
       (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select $1, 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
       now() - n * interval '1 second', 1
     from generate_series(1, $2::int) n`,
    [owner, count],
  );
  await query(databaseUrl, 'analyze orders.changes');
  await checkpoint(databaseUrl);
}

/**
 * Completes a checkpoint, so that PostgreSQL does not write the events to the disk while requests are timed. Only a
 * superuser may request one. A new database that is copied as files needs one too, and the role may create databases.
 */
async function checkpoint(databaseUrl: string): Promise<void> {
  await query(databaseUrl, 'create database copied strategy = file_copy');
  await query(databaseUrl, 'drop database copied');
}
