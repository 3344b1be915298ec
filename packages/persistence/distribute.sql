-- Spreads the tables over the nodes of a Citus cluster by their owner. To be run on the coordinator, again after every
-- migration that adds a table: what is distributed already is left alone, and without the extension nothing happens.
--
-- Rows that were there before are copied; the originals stay on the coordinator's disk, unseen, until
-- truncate_local_data_after_distributing_table('customers') and the like free it.
do $$
declare
  global_table text;
  tenant_table text;
begin
  if not exists (select from pg_extension where extname = 'citus') then
    raise notice 'the extension citus is not installed';
    return;
  end if;

  -- Credentials are looked up before their owner is known, so every node has all of them.
  foreach global_table in array array['api_keys', 'client_certificates'] loop
    if not exists (
      select from pg_dist_partition where logicalrelid = global_table::regclass and partmethod = 'n' and repmodel = 't'
    ) then
      perform create_reference_table(global_table);
    end if;
  end loop;

  -- A table comes after those it refers to, and what belongs to one owner stays on one node.
  foreach tenant_table in array array['customers', 'orders', 'once', 'outbox'] loop
    if not exists (
      select from pg_dist_partition where logicalrelid = tenant_table::regclass and partmethod = 'h'
    ) then
      perform create_distributed_table(
        tenant_table, 'owner_id', colocate_with => case tenant_table when 'customers' then 'none' else 'customers' end
      );
    end if;
  end loop;
end
$$;
