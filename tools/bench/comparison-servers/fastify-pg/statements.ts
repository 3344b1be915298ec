const COLUMNS = `o.id, o.status, o.customer_id, o.reference, o.currency, o.total_amount, o.item_count, o.note, o.metadata,
  o.cancel_reason, o.version, o.created_at, o.updated_at, o.paid_at, o.shipped_at, o.delivered_at, o.cancelled_at`;

const ITEMS = `(select json_agg(json_build_object('line', i.line, 'id', i.id, 'sku', i.sku, 'name', i.name,
    'quantity', i.quantity, 'unit_amount', i.unit_amount, 'total_amount', i.total_amount) order by i.line)
  from order_items i where i.owner_id = o.owner_id and i.order_id = o.id) as items`;

/** The statements by name. Each is prepared once for each connection. */
export const STATEMENTS = {
  key: `select owner_id from api_keys
    where key_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
  find: `select ${COLUMNS}, ${ITEMS} from orders o where o.owner_id = $1 and o.id = $2`,
  list: `select ${COLUMNS}, ${ITEMS} from orders o where o.owner_id = $1 order by o.created_at desc, o.id desc limit $2`,
  findRecorded:
    'select fingerprint, snapshot from idempotency_records where owner_id = $1 and key = $2 and expires_at > now()',
  record: `insert into idempotency_records (owner_id, key, fingerprint, aggregate_id, snapshot, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7)`,
  insertOrder: `insert into orders (owner_id, id, status, customer_id, reference, currency, total_amount, item_count, note,
      metadata, version, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
  insertItems: `insert into order_items (owner_id, order_id, line, id, sku, name, quantity, unit_amount, total_amount)
    select $1, $2, * from unnest($3::int[], $4::uuid[], $5::text[], $6::text[], $7::int[], $8::bigint[], $9::bigint[])`,
  insertEvent: `insert into outbox (owner_id, id, type, aggregate_id, version, changed, occurred_at)
    values ($1, $2, $3, $4, $5, $6, $7)`,
  lock: `select ${COLUMNS}, ${ITEMS} from orders o where o.owner_id = $1 and o.id = $2 for update`,
  cancel: `update orders set status = 'cancelled', cancel_reason = $3, version = version + 1, updated_at = $4,
    cancelled_at = $4 where owner_id = $1 and id = $2`,
  // The limit of what the API needs: a write is one statement. A retry of a cancellation gets the order as it is then.
  createAtOnce: `with placed as (
      insert into orders (owner_id, id, status, customer_id, reference, currency, total_amount, item_count, note, metadata,
        version, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
    ), items as (
      insert into order_items (owner_id, order_id, line, id, sku, name, quantity, unit_amount, total_amount)
      select $1, $2, * from unnest($13::int[], $14::uuid[], $15::text[], $16::text[], $17::int[], $18::bigint[], $19::bigint[])
    ), event as (
      insert into outbox (owner_id, id, type, aggregate_id, version, changed, occurred_at)
      values ($1, $20, 'order.placed', $2, 1, '[]', $12)
    )
    insert into idempotency_records (owner_id, key, fingerprint, aggregate_id, snapshot, created_at, expires_at)
    select $1, $21, $22, $2, $23::json, now(), $24::timestamptz where $21::text is not null`,
  cancelAtOnce: `with cancelled as (
      update orders as o set status = 'cancelled', cancel_reason = $3, version = version + 1,
        updated_at = greatest(updated_at, $4), cancelled_at = greatest(updated_at, $4)
      where owner_id = $1 and id = $2 and status <> 'cancelled' returning ${COLUMNS}, ${ITEMS}
    ), event as (
      insert into outbox (owner_id, id, type, aggregate_id, version, changed, occurred_at)
      select $1, $5, 'order.cancelled', $2, version, $6::json, updated_at from cancelled
    ), record as (
      insert into idempotency_records (owner_id, key, fingerprint, aggregate_id, snapshot, created_at, expires_at)
      select $1, $7, $8, $2, 'null', now(), $9::timestamptz from cancelled where $7::text is not null
    )
    select * from cancelled`,
} as const;

export type StatementName = keyof typeof STATEMENTS;
