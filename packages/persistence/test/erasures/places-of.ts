/**
 * Returns the statement that finds the tables of every schema, and the statistics of their columns, of which a row has a
 * text of letters, digits and hyphens. It reads all that a dump has.
 */
export function placesOf(text: string): string {
  return `select c.oid::regclass::text as place from pg_class as c
    where (c.relkind in ('r', 'p', 'm') or c.oid = 'pg_stats'::regclass) and has_table_privilege(c.oid, 'select')
      and query_to_xml(format('select it::text from %s as it', c.oid::regclass), true, false, '')::text like '%${text}%'
    order by place`;
}
