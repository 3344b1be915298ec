/** Tables without an owner: credentials are looked up before their owner is known; definitions and migrations have none. */
const GLOBAL = [
  'api_keys',
  'client_certificates',
  'operators',
  'operator_jobs',
  'operator_tokens',
  'operator_audit',
  'order_definitions',
  'owner_settings',
  'schema_migrations',
  'sending_database',
];

/** Indexes for the purges by age, and for the audit, which include all owners. */
const MAINTENANCE = [
  'changes_deleted_index',
  'changes_erased_index',
  'changes_occurred_index',
  'erased_orders_erased_index',
  'erasures_created_index',
  'idempotency_expires_index',
  'owner_audit_id_index',
];

const tables = `select c.oid, c.relname from pg_class c
  where c.relkind in ('r', 'p') and c.relnamespace = 'orders'::regnamespace and c.relname not in (${quoted(GLOBAL)})`;

/** The rules that keep a schema distributable by owner. Each has a query that finds violations. */
const RULES: readonly (readonly [rule: string, query: string])[] = [
  [
    'has no owner_id text not null',
    `select t.relname as name from (${tables}) t where not exists (select from pg_attribute a
     where a.attrelid = t.oid and a.attname = 'owner_id' and a.atttypid = 'text'::regtype and a.attnotnull)`,
  ],
  [
    'does not begin with the owner',
    `select i.relname as name from pg_index x join (${tables}) t on t.oid = x.indrelid
     join pg_class i on i.oid = x.indexrelid
     left join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0]
     where a.attname is distinct from 'owner_id' and i.relname not in (${quoted(MAINTENANCE)})`,
  ],
  [
    'is an index on text in the order of the database, which an upgrade of the C library can change',
    `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
     where i.relnamespace = 'orders'::regnamespace
     and exists (select from unnest(x.indcollation::oid[]) as c (oid) where c.oid not in (0, '"C"'::regcollation))`,
  ],
  [
    'is a foreign key that does not begin with the owner on both sides',
    `select k.conname as name from pg_constraint k
     left join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
     left join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
     where k.contype = 'f' and (a.attname <> 'owner_id' or b.attname <> 'owner_id')`,
  ],
  [
    'sets null on deletion',
    `select conname as name from pg_constraint where contype = 'f' and confdeltype in ('n', 'd')`,
  ],
  ['is deferrable', `select conname as name from pg_constraint where condeferrable`],
  ['is an exclusion constraint', `select conname as name from pg_constraint where contype = 'x'`],
  [
    'is a sequence',
    `select c.relname as name from pg_class c where c.relkind = 'S' and c.relnamespace = 'orders'::regnamespace
     and not exists (select from pg_depend d join pg_class t on t.oid = d.refobjid
       where d.objid = c.oid and t.relname in (${quoted(GLOBAL)}))`,
  ],
  [
    'is a value that the database makes',
    `select t.relname || '.' || a.attname as name from pg_attribute a join (${tables}) t on t.oid = a.attrelid
     where a.attnum > 0 and not a.attisdropped and (a.atthasdef or a.attidentity <> '')`,
  ],
  ['is a trigger', `select tgname as name from pg_trigger where not tgisinternal`],
  [
    'is a rule',
    `select r.rulename as name from pg_rewrite r join pg_class c on c.oid = r.ev_class
     where c.relnamespace = 'orders'::regnamespace`,
  ],
  ['is an enum type', `select typname as name from pg_type where typtype = 'e'`],
  [
    'is a time of another type than timestamptz(3)',
    `select t.relname || '.' || a.attname as name from pg_attribute a join (${tables}) t on t.oid = a.attrelid
     where a.attnum > 0 and not a.attisdropped and format_type(a.atttypid, null) ~ '^(timestamp|date|time|interval)'
     and format_type(a.atttypid, a.atttypmod) <> 'timestamp(3) with time zone'`,
  ],
  [
    'has a name of 50 characters or more, or one that ends like that of a shard',
    `select name from (select conname as name from pg_constraint union select i.relname from pg_class i
     where i.relkind = 'i' and i.relnamespace = 'orders'::regnamespace) n
     where length(name) >= 50 or name ~ '_[0-9]+$'`,
  ],
];

/** The query of every violation of the rules in a database, as sentences. */
export const SCHEMA_BREACHES = `${RULES.map(
  ([rule, names]) => `select name || ' ${rule}' as breach from (${names}) as found`,
).join(' union all ')} order by 1`;

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
