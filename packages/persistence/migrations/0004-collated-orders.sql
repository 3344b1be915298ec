-- Puts the indexes of 0003 in the place of those in the database's collation. An index that has the column's new collation
-- already is kept as it is, so nothing is built here.
--
-- status and reference are collated in their indexes alone: prepared statements of servers that still run return both
-- columns, and fail when the type of a column changes (0A000).
do $$
begin
  lock table customers, orders, order_items in access exclusive mode;

  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where logicalrelid = 'orders'::regclass) then
      -- Citus cannot change the column that a table is distributed by, so the owner keeps the database's collation.
      drop index customers_pkey_c;
      drop index customers_email_unique_c;
      drop index orders_pkey_c;
      drop index orders_reference_unique_c;
      drop index orders_created_index_c;
      drop index orders_updated_index_c;
      drop index orders_status_created_index_c;
      drop index orders_status_updated_index_c;
      drop index orders_customer_created_index_c;
      drop index orders_customer_updated_index_c;
      drop index order_items_pkey_c;
      alter table orders drop constraint orders_reference_unique;
      drop index orders_status_created_index;
      drop index orders_status_updated_index;
      create unique index orders_reference_unique on orders (owner_id, reference collate "C");
      create index orders_status_created_index on orders (owner_id, status collate "C", created_at, id);
      create index orders_status_updated_index on orders (owner_id, status collate "C", updated_at, id);
      return;
    end if;
  end if;

  alter table orders drop constraint orders_customer_foreign;
  alter table order_items drop constraint order_items_order_foreign;

  alter table customers drop constraint customers_pkey, drop constraint customers_email_unique;
  alter table customers alter owner_id type text collate "C", alter email_key type text collate "C";
  alter table customers
    add constraint customers_pkey primary key using index customers_pkey_c,
    add constraint customers_email_unique unique using index customers_email_unique_c;

  alter table orders drop constraint orders_pkey, drop constraint orders_reference_unique;
  drop index orders_created_index, orders_updated_index, orders_status_created_index, orders_status_updated_index,
    orders_customer_created_index, orders_customer_updated_index;
  alter table orders alter owner_id type text collate "C";
  alter table orders add constraint orders_pkey primary key using index orders_pkey_c;
  alter index orders_reference_unique_c rename to orders_reference_unique;
  alter index orders_created_index_c rename to orders_created_index;
  alter index orders_updated_index_c rename to orders_updated_index;
  alter index orders_status_created_index_c rename to orders_status_created_index;
  alter index orders_status_updated_index_c rename to orders_status_updated_index;
  alter index orders_customer_created_index_c rename to orders_customer_created_index;
  alter index orders_customer_updated_index_c rename to orders_customer_updated_index;

  alter table order_items drop constraint order_items_pkey;
  alter table order_items alter owner_id type text collate "C";
  alter table order_items add constraint order_items_pkey primary key using index order_items_pkey_c;

  -- Every row that is there satisfied them until now. 0006 validates them without this lock.
  alter table orders add constraint orders_customer_foreign
    foreign key (owner_id, customer_id) references customers (owner_id, id) not valid;
  alter table order_items add constraint order_items_order_foreign
    foreign key (owner_id, order_id) references orders (owner_id, id) on delete cascade not valid;
end
$$;
