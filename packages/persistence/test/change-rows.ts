import { execute } from './execute.ts';

/** A change record for a test of what becomes of it. */
export interface ChangeRow {
  readonly aggregate?: 'order' | 'customer' | 'webhook_endpoint';
  readonly id: string;
  readonly version: number;
  readonly at: string;
  /** Whether it records the deletion of the aggregate, which has the items of an order and no snapshot. */
  readonly deletion?: boolean;
}

/** Inserts change records of `owner`. */
export async function insertChanges(url: string, owner: string, rows: readonly ChangeRow[]): Promise<void> {
  const values = rows.map(({ aggregate = 'order', id, version, at, deletion = false }) => {
    const type = `${aggregate}.${deletion ? 'deleted' : 'updated'}`;
    const [snapshot, items] = deletion ? ['null', aggregate === 'order' ? `'[]'` : 'null'] : [`'{}'`, 'null'];
    return `('${owner}', '${aggregate}', '${id}', ${version}, gen_random_uuid(), '${type}', '[]', '${at}', null,
      ${snapshot}, 1, ${items})`;
  });
  await execute(url, `insert into changes values ${values.join(', ')}`);
}

/** Inserts an idempotency record of `owner` that refers to a version and expires at `expires_at`. */
export async function insertKey(
  url: string,
  owner: string,
  key: string,
  { aggregate = 'order', id, version }: Pick<ChangeRow, 'aggregate' | 'id' | 'version'>,
  expires_at: string,
): Promise<void> {
  await execute(
    url,
    `insert into idempotency values ('${owner}', '${key}', 'f', '${aggregate}', '${id}', ${version}, '${expires_at}')`,
  );
}

/**
 * Returns the records of `owner` in order, as `order 1`; in parentheses those without a snapshot, or without items when
 * they record a deletion.
 */
export async function remainingChanges(url: string, owner: string): Promise<readonly string[]> {
  const rows = await execute<{ text: string }>(
    url,
    `select case when coalesce(snapshot, items) is null then '(' || name || ')' else name end as text
     from (select *, aggregate || ' ' || right(aggregate_id::text, 1) || ' v' || version as name from changes) as named
     where owner_id = '${owner}' order by aggregate, aggregate_id, version`,
  );
  return rows.map(({ text }) => text);
}

/** Returns an id that ends with `digit`. */
export const idOf = (digit: number) => `019a7000-0000-7000-8000-00000000000${digit}`;
