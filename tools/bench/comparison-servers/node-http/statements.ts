const TIMES = ['created_at', 'updated_at', 'paid_at', 'shipped_at', 'delivered_at', 'cancelled_at'];
const PLAIN = [
  'id',
  'status',
  'customer_id',
  'reference',
  'currency',
  'total_amount',
  'item_count',
  'note',
  'metadata',
];
const COLUMNS = [...PLAIN, 'cancel_reason', 'version', ...TIMES];

const columns = COLUMNS.map((column) => `o.${column}`).join(', ');

const items = `(select json_agg(json_build_object('line', i.line, 'id', i.id, 'sku', i.sku, 'name', i.name,
    'quantity', i.quantity, 'unit_amount', i.unit_amount, 'total_amount', i.total_amount) order by i.line)
  from order_items i where i.owner_id = $1 and i.order_id = o.id) as items`;

/** One statement for each kind of request, prepared once for each connection. */
export const STATEMENTS = {
  key: 'select owner_id from api_keys where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())',

  get: `select ${columns}, ${items} from orders o where o.owner_id = $1 and o.id = $2`,

  // One row more than a page shows whether a next page exists.
  list: `select ${columns}, ${items} from orders o where o.owner_id = $1 order by o.created_at desc, o.id desc limit 21`,

  // A retry does not insert its key, so it inserts nothing, and returns the existing record.
  create: `with recorded as (
      insert into idempotency_records (owner_id, key, fingerprint, aggregate_id, snapshot, created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1
    ), placed as (
      insert into orders (owner_id, id, status, customer_id, reference, currency, total_amount, item_count, note,
        metadata, version, created_at, updated_at)
      select $1, $4, 'pending', $8::uuid, $9, $10, $11::bigint, $12::int, $13, $14::json, 1, $6, $6 from recorded
    ), lines as (
      insert into order_items (owner_id, order_id, line, id, sku, name, quantity, unit_amount, total_amount)
      select $1, $4, i.* from recorded, json_to_recordset($15::json) as i(line int, id uuid, sku text, name text,
        quantity int, unit_amount bigint, total_amount bigint)
    ), event as (
      insert into outbox (owner_id, id, type, aggregate_id, version, changed, occurred_at)
      select $1, $16::uuid, 'order.placed', $4, 1, '[]', $6 from recorded
    )
    select earlier.fingerprint, earlier.snapshot::text from (select 1) as always
    left join idempotency_records as earlier on earlier.owner_id = $1 and earlier.key = $2`,

  cancel: `with earlier as (
      select fingerprint, snapshot from idempotency_records where owner_id = $1 and key = $2
    ), o as (
      update orders set status = 'cancelled', cancel_reason = $5, version = version + 1,
        updated_at = greatest(updated_at, $6), cancelled_at = greatest(updated_at, $6)
      where owner_id = $1 and id = $3 and status <> 'cancelled' and not exists (select from earlier)
      returning ${COLUMNS.join(', ')}
    ), result as (
      select ${columns}, ${items} from o
    ), event as (
      insert into outbox (owner_id, id, type, aggregate_id, version, changed, occurred_at)
      select $1, $7::uuid, 'order.cancelled', id, version, $8::json, updated_at from result
    ), recorded as (
      insert into idempotency_records (owner_id, key, fingerprint, aggregate_id, snapshot, created_at, expires_at)
      select $1, $2, $4, id, row_to_json(result), $6, $9 from result where $2 is not null
    )
    select earlier.fingerprint, coalesce(row_to_json(result), earlier.snapshot) as snapshot,
      (select status from orders where owner_id = $1 and id = $3) as status_before
    from (select 1) as always left join result on true left join earlier on true`,
} as const;

export type StatementName = keyof typeof STATEMENTS;
