-- Webhooks: the endpoints of an owner, how far each has received the feed, and one delivery per event and endpoint.
--
-- Locks no table that exists.
--
-- In a block: Citus sends the text of a command to its workers, which here would be the text of all of them.
do $$
begin
  create table webhook_endpoints (
    owner_id text collate "C" not null,
    id uuid not null,
    url text not null,
    -- Null for every type.
    types json null,
    include json not null,
    description text null,
    status text not null,
    disabled_reason text null,
    secrets json not null,
    -- The endpoint receives the events after this position.
    start bigint not null,
    -- Limits the number of endpoints of an owner, also when several are created at the same time.
    slot smallint not null,
    version int not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint webhook_endpoints_pkey primary key (owner_id, id),
    constraint webhook_endpoints_slot_unique unique (owner_id, slot),
    constraint webhook_endpoints_slot_check check (slot between 1 and 10),
    constraint webhook_endpoints_start_check check (start >= 0),
    constraint webhook_endpoints_status_check check (status in ('enabled', 'disabled')),
    constraint webhook_endpoints_reason_check check ((status = 'disabled') = (disabled_reason is not null)),
    constraint webhook_endpoints_version_check check (version > 0)
  );

  -- Without a foreign key: a deletion of an endpoint deletes neither its queue nor its deliveries, which may be many.
  create table webhook_queues (
    owner_id text collate "C" not null,
    endpoint_id uuid not null,
    -- The last event that was turned into a delivery, or was not wanted.
    position bigint not null,
    -- The version of the endpoint that the queue agrees with.
    endpoint_version int not null,
    -- Failed deliveries after this position become pending again. Null when none are left to.
    requeue_after bigint null,
    -- The number of deliveries whose first attempt failed since the last success.
    failing int not null,
    -- The time of the next first attempt while the endpoint fails.
    fresh_after timestamptz(3) null,
    last_success_at timestamptz(3) null,
    -- Grows with each change of the row. The highest one is found without passing earlier versions of the row, which
    -- PostgreSQL keeps while another session has an old snapshot.
    revision bigint not null,
    -- The positions of the claimed deliveries. Null before the first claim.
    in_flight bigint[] null,
    -- The first of these leases ends then, if no further delivery may be claimed.
    full_until timestamptz(3) null,
    -- All deliveries without an attempt that were due until then were claimed; of those at this time, up to the position.
    -- Claims begin after it, because the index may still have all of them.
    fresh_claimed_to timestamptz(3) null,
    fresh_claimed_position bigint null,
    -- The same for deliveries with an attempt. It lags, because those that are requested again lock no queue.
    retries_claimed_to timestamptz(3) null,
    constraint webhook_queues_pkey primary key (owner_id, endpoint_id, revision)
  );

  create table webhook_deliveries (
    owner_id text collate "C" not null,
    endpoint_id uuid not null,
    position bigint not null,
    event_id uuid not null,
    type text not null,
    aggregate text collate "C" not null,
    aggregate_id uuid not null,
    version int not null,
    status text collate "C" not null,
    attempts int not null,
    -- Whether no attempt was made yet, and none was requested.
    fresh boolean not null,
    -- Whether it was requested again, and is outside the order of its aggregate.
    redelivery boolean not null,
    -- Null while an earlier delivery of the aggregate is pending, and when no attempt is left.
    due_at timestamptz(3) null,
    leased_until timestamptz(3) null,
    -- The number of claims.
    fence int not null,
    first_attempt_at timestamptz(3) null,
    last_status smallint null,
    last_error text null,
    last_duration_ms int null,
    constraint webhook_deliveries_pkey primary key (owner_id, endpoint_id, position),
    constraint webhook_deliveries_event_unique unique (owner_id, event_id, endpoint_id),
    constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed'))
  );

  create index webhook_deliveries_status_index on webhook_deliveries (owner_id, endpoint_id, status, position);
  create index webhook_deliveries_due_index on webhook_deliveries (owner_id, endpoint_id, fresh, due_at, position)
    where due_at is not null;
  create index webhook_deliveries_order_index on webhook_deliveries
    (owner_id, endpoint_id, aggregate, aggregate_id, position) where status = 'pending' and not redelivery;

  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where logicalrelid = to_regclass('orders')) then
      -- The tables are created over one connection to each node.
      perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
      perform create_distributed_table('webhook_endpoints', 'owner_id', colocate_with => 'orders');
      perform create_distributed_table('webhook_queues', 'owner_id', colocate_with => 'orders');
      perform create_distributed_table('webhook_deliveries', 'owner_id', colocate_with => 'orders');
    end if;
  end if;
end
$$;
