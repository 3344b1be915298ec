-- One record per change replaces the outbox and the snapshots of idempotency keys: it is the event, the history of the
-- aggregate and the recorded result of a write.
--
-- Copies every order, event and key under exclusive locks.
-- Refused beside servers of release 0.1.0.
--
-- In a block: Citus sends the text of a command to its workers, which here would be the text of all of them.
do $$
declare
  rfc3339 constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
begin
  lock table customers, orders, once, outbox in access exclusive mode;

  create table changes (
    owner_id text collate "C" not null,
    aggregate text collate "C" not null,
    aggregate_id uuid not null,
    version int not null,
    -- Null for the version of an aggregate that was stored before versions were recorded, which is no event.
    event_id uuid null,
    type text null,
    changed json not null,
    occurred_at timestamptz(3) not null,
    actor text null,
    -- The aggregate at this version. Null for a deletion, and after it was erased.
    snapshot json null,
    snapshot_format smallint not null,
    -- The items of a deleted order, on the record of its deletion. Those of other orders are in their rows.
    items json null,
    constraint changes_pkey primary key (owner_id, aggregate, aggregate_id, version)
  );
  -- The purge begins with deletions, which are few.
  create index changes_deleted_index on changes (occurred_at) where type in ('order.deleted', 'customer.deleted');

  create table idempotency (
    owner_id text collate "C" not null,
    key text collate "C" not null,
    fingerprint text not null,
    -- The version that the write made, or the current one of a write that changed nothing.
    aggregate text collate "C" not null,
    aggregate_id uuid not null,
    version int not null,
    expires_at timestamptz(3) not null,
    constraint idempotency_pkey primary key (owner_id, key)
  );
  create index idempotency_expires_index on idempotency (expires_at);
  create index idempotency_aggregate_index on idempotency (owner_id, aggregate_id);

  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where logicalrelid = to_regclass('orders')) then
      perform create_distributed_table('changes', 'owner_id', colocate_with => 'orders');
      perform create_distributed_table('idempotency', 'owner_id', colocate_with => 'orders');
    end if;
  end if;

  insert into changes
    (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
  select owner_id, split_part(type, '.', 1), aggregate_id,
    case when type like '%.deleted' then version + 1 else version end, id, type, changed, occurred_at, 1
  from outbox;

  -- The current versions.
  insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot, snapshot_format)
  select owner_id, 'order', id, version, '[]', updated_at,
    json_build_object(
      'id', id, 'status', status, 'customer_id', customer_id, 'reference', reference, 'note', note, 'items', null,
      'metadata', metadata, 'total', json_build_object('amount', total_amount, 'currency', currency),
      'cancel_reason', cancel_reason, 'version', version,
      'created_at', to_char(created_at at time zone 'utc', rfc3339),
      'updated_at', to_char(updated_at at time zone 'utc', rfc3339),
      'paid_at', to_char(paid_at at time zone 'utc', rfc3339),
      'shipped_at', to_char(shipped_at at time zone 'utc', rfc3339),
      'delivered_at', to_char(delivered_at at time zone 'utc', rfc3339),
      'cancelled_at', to_char(cancelled_at at time zone 'utc', rfc3339)
    ), 1
  from orders
  on conflict (owner_id, aggregate, aggregate_id, version) do update set snapshot = excluded.snapshot;

  insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot, snapshot_format)
  select owner_id, 'customer', id, version, '[]', updated_at,
    json_build_object(
      'id', id, 'email', email, 'name', name, 'metadata', metadata, 'version', version,
      'created_at', to_char(created_at at time zone 'utc', rfc3339),
      'updated_at', to_char(updated_at at time zone 'utc', rfc3339)
    ), 1
  from customers
  on conflict (owner_id, aggregate, aggregate_id, version) do update set snapshot = excluded.snapshot;

  -- The recorded results of 0.1.0, whole orders and customers, stay readable as versions. A customer that no longer exists
  -- was erased: 0.1.0 could record a result while another server deleted the customer.
  insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot, snapshot_format)
  select distinct on (owner_id, aggregate, aggregate_id, version)
    owner_id, aggregate, aggregate_id, version, '[]', occurred_at, snapshot, 1
  from (
    select owner_id, case when snapshot -> 'aggregate' -> 'items' is null then 'customer' else 'order' end as aggregate,
      aggregate_id, (snapshot -> 'aggregate' ->> 'version')::int as version,
      (snapshot -> 'aggregate' ->> 'updated_at')::timestamptz as occurred_at, snapshot -> 'aggregate' as snapshot
    from once where json_typeof(snapshot -> 'aggregate') = 'object'
  ) as recorded
  where aggregate = 'order'
    or exists (select from customers as c where c.owner_id = recorded.owner_id and c.id = recorded.aggregate_id)
  on conflict (owner_id, aggregate, aggregate_id, version) do update
    set snapshot = coalesce(changes.snapshot, excluded.snapshot);

  -- The purge finds what is left of a deleted aggregate by its deletion, whose event 0.1.0 may have purged before the key.
  insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
  select distinct on (c.owner_id, c.aggregate, c.aggregate_id)
    c.owner_id, c.aggregate, c.aggregate_id, c.version + 1, md5(c.owner_id || c.aggregate_id)::uuid,
    c.aggregate || '.deleted', '[]', c.occurred_at, 1
  from changes as c
  where not exists (select from orders as o where o.owner_id = c.owner_id and o.id = c.aggregate_id and c.aggregate = 'order')
    and not exists (
      select from customers as o where o.owner_id = c.owner_id and o.id = c.aggregate_id and c.aggregate = 'customer')
    and not exists (
      select from changes as d where d.owner_id = c.owner_id and d.aggregate = c.aggregate
        and d.aggregate_id = c.aggregate_id and d.type in ('order.deleted', 'customer.deleted'))
  order by c.owner_id, c.aggregate, c.aggregate_id, c.version desc;

  -- A key without a recorded aggregate belongs to a deletion, or to a write of a customer that was erased.
  insert into idempotency (owner_id, key, fingerprint, aggregate, aggregate_id, version, expires_at)
  select o.owner_id, o.key, o.fingerprint,
    case when o.snapshot -> 'aggregate' -> 'items' is not null then 'order' else coalesce(d.aggregate, 'customer') end,
    o.aggregate_id, coalesce((o.snapshot -> 'aggregate' ->> 'version')::int, d.version, 1), o.expires_at
  from once as o
  left join changes as d
    on d.owner_id = o.owner_id and d.aggregate_id = o.aggregate_id and d.type in ('order.deleted', 'customer.deleted')
  -- An order and a customer may have the same id.
  on conflict (owner_id, key) do nothing;

  drop table once;
  drop table outbox;
end
$$;
