import { type Sql, sql } from './sql.ts';

/** The bytes of a snapshot that count towards the size of a page; see `freeTextBytes` of the domain. */
export function snapshotBytes(hasCustom: boolean): Sql {
  const customBytes = hasCustom
    ? sql` + coalesce(octet_length(nullif((c.snapshot -> 'custom')::text, 'null')), 0)`
    : sql``;
  return sql`coalesce(octet_length(c.snapshot ->> 'note'), 0)
  + coalesce(octet_length((c.snapshot -> 'metadata')::text), 0)${customBytes}`;
}

/** The elements of a snapshot that count towards the size of a page; 0 for one that is no order. */
export const SNAPSHOT_ELEMENTS = sql`coalesce(case json_typeof(c.snapshot -> 'items')
    when 'array' then json_array_length(c.snapshot -> 'items') else (c.snapshot ->> 'items')::int end, 0)
  + coalesce((c.snapshot #>> '{charges,elements}')::int, 0)`;
