-- Outside a transaction.
-- The order of both lists of customers: without them a page sorts all customers of its owner.
create index concurrently customers_created_index on customers (owner_id, created_at, id);
create index concurrently customers_updated_index on customers (owner_id, updated_at, id);
-- The foreign keys that 0004 left to validate beside traffic.
alter table orders validate constraint orders_customer_foreign;
alter table order_items validate constraint order_items_order_foreign;
-- A column whose collation changed has no statistics any more.
analyze customers, orders, order_items, once, outbox, api_keys, client_certificates;
