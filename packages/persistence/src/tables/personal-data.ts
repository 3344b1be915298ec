import { ERASED_MEMBERS, ORDER_FIELDS } from '@orders/domain';

/**
 * What an erasure makes of a column: nothing (it `stays` if it is a free text that is about no person), SQL null, an empty
 * object, the same JSON without what is personal, or nothing for business data and no row for personal data.
 */
type Erased = 'kept' | 'stays' | 'no row' | 'null' | '{}' | 'without tracking' | 'without personal data';

/** What an erasure makes of the columns and members of an order whose names are those of {@link ERASED_MEMBERS}. */
const ERASED_COLUMNS = Object.fromEntries(
  Object.entries(ERASED_MEMBERS).map(([name, value]) => [name, value === null ? 'null' : '{}'] as const),
);

/**
 * Every column of every table that may have the personal data of a customer, and what its erasure makes of it. The others
 * are named, too: a column is in this list or a test fails, and so is the decision that a free text stays. The
 * documentation says to keep persons out of it.
 */
export const COLUMNS: Readonly<Record<string, Readonly<Record<string, Erased>>>> = {
  customers: {
    email: 'null',
    email_key: 'null',
    name: 'null',
    metadata: '{}',
    ...kept('owner_id id version created_at updated_at erased_at erasure erasure_requested_at'),
  },
  // The email leaves when the erasure is done.
  erasures: { email_key: 'null', ...kept('owner_id id customer_id version created_at updated_at') },
  erased_orders: kept('owner_id id erased_at'),
  orders: {
    ...kept(Object.keys(ORDER_FIELDS).join(' ')),
    ...stays('reference external_ids items adjustments'),
    ...ERASED_COLUMNS,
    fulfillments: 'without tracking',
    ...kept('owner_id id status currency total_amount element_count version created_at updated_at'),
    ...kept('paid_at shipped_at delivered_at cancelled_at corrected_at erased_at quantities status_times'),
  },
  // Those by email and by custom data are deleted.
  order_lookups: { value: 'no row', ...stays('name'), ...kept('owner_id created_at order_id') },
  // Whatever an operator has written about an order, as the reasons below.
  order_comments: { text: 'null', ...stays('key'), ...kept('owner_id order_id id created_at author') },
  changes: {
    external_user_id: 'null',
    snapshot: 'without personal data',
    fulfillments: 'without tracking',
    ...kept('owner_id aggregate aggregate_id version event_id type changed occurred_at actor snapshot_format'),
    ...stays('items adjustments'),
    ...kept('position'),
  },
  // The fingerprint is a digest, which leaves with its key.
  idempotency: { ...stays('key'), ...kept('owner_id fingerprint aggregate aggregate_id version expires_at') },
  feeds: kept('owner_id purged purged_id'),
  checkpoints: { ...stays('name'), ...kept('owner_id position event fence held_until') },
  order_statistics: kept('owner_id revision width quarter status currency orders total'),
  webhook_endpoints: {
    ...stays('url description'),
    ...kept('owner_id id types include status disabled_reason secrets start slot version created_at updated_at'),
  },
  webhook_queues: {
    ...kept(
      'owner_id endpoint_id revision position endpoint_version requeue_after failing fresh_after last_success_at',
    ),
    ...kept('in_flight full_until fresh_claimed_to fresh_claimed_position retries_claimed_to'),
  },
  // A message is made of the change record when it is sent.
  webhook_deliveries: {
    ...kept(
      'owner_id endpoint_id position event_id type aggregate aggregate_id version status attempts fresh redelivery',
    ),
    ...kept('due_at leased_until fence first_attempt_at last_status last_error last_duration_ms delivered_at'),
  },
  api_keys: {
    ...stays('name'),
    ...kept('key_hash prefix owner_id scopes created_at expires_at revoked_at last_used_at'),
  },
  client_certificates: {
    ...stays('identity name'),
    ...kept('owner_id scopes created_at revoked_at last_used_at'),
  },
  owner_settings: kept('owner suspended_at rate_limit_read rate_limit_write rate_limit_batch'),
  operators: { ...stays('name'), ...kept('id role signs_in created_at revoked_at last_used_at') },
  operator_tokens: kept('token_hash id operator_id kind created_at expires_at last_used_at revoked_at'),
  // A job is about all that matches a filter, and about no person.
  operator_jobs: {
    ...stays('reason'),
    ...kept('id kind filter status dry_run actor created_at ended_at progress held_until fence'),
  },
  // What is about a person is in the other record.
  operator_audit: { ...stays('subject reason'), ...kept('id occurred_at owner actor action') },
  // Whatever an operator has written about a person.
  owner_audit: { reason: 'null', ...stays('subject'), ...kept('owner_id id occurred_at actor action version') },
  order_definitions: kept('digest definition created_at'),
  sending_database: kept('only_row identity next_until'),
};

/** Returns columns without personal data of a customer, or with business data that is not for it. */
function kept(names: string): Readonly<Record<string, 'kept'>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'kept']));
}

/** Returns columns with free texts that are about no person. */
function stays(names: string): Readonly<Record<string, 'stays'>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'stays']));
}

/** Whether an erasure changes nothing in a column. */
export function isKept(erased: Erased): erased is 'kept' | 'stays' {
  return erased === 'kept' || erased === 'stays';
}

/** Returns what an erasure makes of the columns of a table, as `column = SQL`. Each is read from the row `row`. */
export function erasedColumns(table: string, row: string): ReadonlyMap<string, string> {
  const columns = Object.entries(COLUMNS[table] ?? {}).filter(([, erased]) => !isKept(erased));
  return new Map(columns.map(([name, erased]) => [name, erasedValue(erased, `${row}.${name}`)]));
}

/** Returns the condition that an erasure would change the row `row` of a table. */
export function isPersonal(table: string, row: string): string {
  const columns = Object.entries(COLUMNS[table] ?? {});
  return columns.flatMap(([name, erased]) => hasPersonal(erased, `${row}.${name}`) ?? []).join(' or ');
}

/** Returns the statement that erases the comments `m` that `condition` selects. */
export function eraseComments(condition: string): string {
  const erased = [...erasedColumns('order_comments', 'm')].map(([name, value]) => `${name} = ${value}`).join(', ');
  return `update our.order_comments as m set ${erased} where m.text is not null and ${condition}`;
}

/** Returns the statement that erases what operators have written about what `condition` selects of their records `a`. */
export function eraseReasons(condition: string): string {
  const erased = [...erasedColumns('owner_audit', 'a')].map(([name, value]) => `${name} = ${value}`).join(', ');
  return `update our.owner_audit as a set ${erased} where a.reason is not null and ${condition}`;
}

function hasPersonal(erased: Erased, column: string): string | null {
  switch (erased) {
    case 'kept':
    case 'stays':
    case 'no row':
      return null;
    case 'null':
      return `${column} is not null`;
    case '{}':
      return `${column}::text <> '{}'`;
    case 'without tracking':
      return `exists (select from json_array_elements(${column}) as f where f ->> 'tracking' is not null)`;
    case 'without personal data':
      return Object.entries({ reason: 'null' as const, ...ERASED_COLUMNS })
        .map(([name, value]) => hasPersonal(value, `(${column} ->> '${name}')`))
        .join(' or ');
  }
}

function erasedValue(erased: Erased, column: string): string {
  switch (erased) {
    case 'kept':
    case 'stays':
    case 'no row':
      return column;
    case 'null':
      return 'null';
    case '{}':
      return "'{}'";
    case 'without tracking':
      return `(select json_agg(
        (select json_object_agg(m.key, m.value order by m.place)
          from json_each(f.value) with ordinality as m (key, value, place) where m.key <> 'tracking')
        order by f.place) from json_array_elements(${column}) with ordinality as f (value, place))`;
    case 'without personal data':
      return replacedMembers(column, { reason: undefined, ...ERASED_MEMBERS });
  }
}

/** Returns the JSON object in `column` with other members; those that are undefined are left out. Their order stays. */
export function replacedMembers(column: string, members: Readonly<Record<string, unknown>>): string {
  const replaced = Object.entries(members).filter(([, value]) => value !== undefined);
  const removed = Object.keys(members).filter((name) => members[name] === undefined);
  // Citus writes a case with a value before its conditions in a way that no node can parse.
  const values = replaced
    .map(([name, value]) => `when m.key = '${name}' then '${JSON.stringify(value)}'::json`)
    .join(' ');
  return `(select json_object_agg(m.key, case ${values} else m.value end order by m.place)
    from json_each(${column}) with ordinality as m (key, value, place)
    where m.key <> all('{${removed.join()}}'))`;
}
