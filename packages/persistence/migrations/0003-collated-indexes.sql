-- Outside a transaction.
-- Copies of the indexes on text whose order does not depend on the C library, for 0004 to put in the place of theirs. An
-- index in the order of the database's collation is corrupt once an upgrade of the C library changes that order. The
-- copies are built beside traffic; to change a column's collation would build each index under an exclusive lock.
create unique index concurrently customers_pkey_c on customers (owner_id collate "C", id);
create unique index concurrently customers_email_unique_c on customers (owner_id collate "C", email_key collate "C");
create unique index concurrently orders_pkey_c on orders (owner_id collate "C", id);
create unique index concurrently orders_reference_unique_c on orders (owner_id collate "C", reference collate "C");
create index concurrently orders_created_index_c on orders (owner_id collate "C", created_at, id);
create index concurrently orders_updated_index_c on orders (owner_id collate "C", updated_at, id);
create index concurrently orders_status_created_index_c
  on orders (owner_id collate "C", status collate "C", created_at, id);
create index concurrently orders_status_updated_index_c
  on orders (owner_id collate "C", status collate "C", updated_at, id);
create index concurrently orders_customer_created_index_c on orders (owner_id collate "C", customer_id, created_at, id);
create index concurrently orders_customer_updated_index_c on orders (owner_id collate "C", customer_id, updated_at, id);
create unique index concurrently order_items_pkey_c on order_items (owner_id collate "C", order_id, line);
create unique index concurrently once_pkey_c on once (owner_id collate "C", key collate "C");
create index concurrently once_aggregate_index_c on once (owner_id collate "C", aggregate_id);
create unique index concurrently outbox_pkey_c on outbox (owner_id collate "C", id);
create unique index concurrently api_keys_pkey_c on api_keys (key_hash collate "C");
create unique index concurrently api_keys_prefix_unique_c on api_keys (prefix collate "C");
create unique index concurrently client_certificates_pkey_c on client_certificates (identity collate "C");
