import { PAGE_BYTES_MAX, PAGE_ELEMENTS_MAX } from '@orders/domain';
import { textOf } from '../sql/sql.ts';
import { KINDS } from '../aggregate-kinds.ts';
import { SNAPSHOT_ELEMENTS, snapshotBytes } from '../sql/snapshot-size.ts';
import { type DatabaseFunction, databaseFunction, PLANNED_ONCE_IN_ORDER } from '../sql/database-function.ts';
import { changeAt } from './feed-conditions.ts';

const PARAMETERS = { owner_id: 'text', positions: 'bigint[]' };

/** The changes `c` of an owner at the positions of an array, with their places in it, as `w.place`. */
const changesAt = (columns: string) => `unnest(p_positions) with ordinality as w (position, place)
        cross join lateral (select ${columns} ${changeAt('p_owner_id', 'w.position')}) as c`;

/** The parts of the resource of the change `c`, of which its snapshot lacks some. */
const PARTS = KINDS.flatMap(({ tables: [{ of }], parts }) =>
  parts === undefined ? [] : `when c.aggregate = '${of.name}' and c.snapshot is not null then ${parts}`,
).join(' ');

/**
 * Returns the functions that read events by their positions.
 *
 * Each position is looked up alone. A list of positions is a condition of one scan, for which the planner multiplies the
 * frequencies of the owner and of the positions. Every owner has the first positions: they are the most frequent ones. For a
 * large owner it expects many rows, and reads its whole feed or the whole table.
 *
 * They are functions for the sake of their settings. For a statement that looks up each position, the planner expects a large
 * owner to cost less than others. It would therefore plan each execution, which takes longer than reading eight events.
 */
export function eventFunctions(): Readonly<Record<'changes' | 'resources', DatabaseFunction>> {
  // Orders of every definition: one without custom data counts no bytes of it.
  const bytes = textOf(snapshotBytes(true));
  const elements = textOf(SNAPSHOT_ELEMENTS);
  return {
    /** Returns the changes at positions, in the order of these. */
    changes: databaseFunction('events_changes', {
      parameters: PARAMETERS,
      returns: 'json',
      settings: PLANNED_ONCE_IN_ORDER,
      body: `begin
    return (
      select coalesce(json_agg(json_build_object(
          'position', c.position::text, 'event_id', c.event_id, 'type', c.type, 'aggregate', c.aggregate,
          'aggregate_id', c.aggregate_id, 'version', c.version, 'changed', c.changed, 'occurred_at', c.occurred_at::text,
          'actor', c.actor, 'external_user_id', c.external_user_id) order by w.place), '[]')
      from ${changesAt('c.*')}
    );
  end`,
    }),

    /**
     * Returns the resources of changes by their positions, which ascend. Those that exceed the size of a page are not sent,
     * except the first.
     */
    resources: databaseFunction('events_resources', {
      parameters: PARAMETERS,
      returns: 'json',
      settings: PLANNED_ONCE_IN_ORDER,
      body: `begin
    return (
      select coalesce(json_agg(json_build_object(
          'position', c.position::text, 'fits', c.fits, 'snapshot', case when c.fits then c.snapshot end,
          'snapshot_format', c.snapshot_format, 'parts', case when c.fits then c.parts end)), '[]')
      from (
        select c.*, row_number() over page = 1 or (sum(c.bytes) over page <= ${PAGE_BYTES_MAX}
          and sum(c.elements) over page <= ${PAGE_ELEMENTS_MAX}) as fits
        from (
          select w.place, c.position, c.snapshot, c.snapshot_format, ${bytes} as bytes, ${elements} as elements,
            case ${PARTS} end as parts
          from ${changesAt('c.position, c.aggregate, c.aggregate_id, c.snapshot, c.snapshot_format')}
          -- Not merged with the query around it, which would look up the parts for each of their uses.
          offset 0
        ) as c
        window page as (order by c.place rows unbounded preceding)
      ) as c
    );
  end`,
    }),
  };
}
