-- The feed of events: a position for each change, given when the feed is read, and the checkpoints of its consumers.
--
-- Locks the changes while it builds three indexes.
--
-- In a block: Citus sends the text of a command to its workers, which here would be the text of all of them.
do $$
begin
  lock table changes in access exclusive mode;

  create table feeds (
    owner_id text collate "C" not null,
    -- The last position that has left the feed, and its event. Null while it is 0. A change has the last one that was given.
    purged bigint not null,
    purged_id uuid null,
    constraint feeds_pkey primary key (owner_id)
  );

  create table checkpoints (
    owner_id text collate "C" not null,
    name text collate "C" not null,
    position bigint not null,
    event text not null,
    constraint checkpoints_pkey primary key (owner_id, name)
  );

  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where logicalrelid = to_regclass('orders')) then
      -- The commands below change all shards of a table, over the connection that creates the shards of the others.
      perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
      perform create_distributed_table('feeds', 'owner_id', colocate_with => 'orders');
      perform create_distributed_table('checkpoints', 'owner_id', colocate_with => 'orders');
    end if;
  end if;

  alter table changes add column position bigint null;
  create index changes_unnumbered_index on changes (owner_id, occurred_at) where position is null and type is not null;
  create unique index changes_position_unique on changes (owner_id, position) where position is not null;
  -- Without the changes of the unnumbered index, so that a statement which gives positions cannot read this one instead.
  -- No condition on a position implies this one, so that no statement looks for a position here either.
  create index changes_occurred_index on changes (occurred_at) where (position is null and type is not null) is not true;
end
$$;
