import { execute } from '../execute.ts';

/** Returns the feed of an owner with its last position, or `undefined`. */
export async function storedFeed(url: string, owner: string) {
  const [row] = await execute<{ position: string; purged: string; purged_id: string | null }>(
    url,
    `select coalesce((select max(c.position) from changes as c where c.owner_id = f.owner_id and c.position > f.purged),
       f.purged) as position, f.purged, f.purged_id
     from feeds as f where f.owner_id = '${owner}'`,
  );
  return row && { position: Number(row.position), purged: Number(row.purged), purged_id: row.purged_id };
}

/** Returns the changes of an owner as `order 1 v2: 7`, in the order of their positions; `-` for one without. */
export async function positions(url: string, owner: string): Promise<readonly string[]> {
  const rows = await execute<{ text: string }>(
    url,
    `select aggregate || ' ' || right(aggregate_id::text, 1) || ' v' || version || ': ' || coalesce(position::text, '-') as text
     from changes where owner_id = '${owner}' order by position, aggregate, aggregate_id, version`,
  );
  return rows.map(({ text }) => text);
}

/** Inserts `count` changes of orders of their own, one per second from `from` on. */
export async function insertMany(url: string, owner: string, count: number, from: string): Promise<void> {
  await execute(
    url,
    `insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select '${owner}', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
       timestamptz '${from}' + n * interval '1 second', 1
     from generate_series(1, ${count}) as n`,
  );
}

/** Returns the positions that an owner's changes have, in order. */
export async function givenPositions(url: string, owner: string): Promise<readonly number[]> {
  const rows = await execute<{ position: string }>(
    url,
    `select position from changes where owner_id = '${owner}' and position is not null order by position`,
  );
  return rows.map(({ position }) => Number(position));
}

/** Returns 1, 2, 3, … up to `count`. */
export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
