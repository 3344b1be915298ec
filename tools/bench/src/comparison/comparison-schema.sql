-- The tables of the comparison servers. They are designed as for a program without change records and without combined
-- writes. Orders has tables of its own, so that neither design constrains the other. Both use the same API keys.
create schema comparison;
set search_path to comparison;

create view api_keys as select * from orders.api_keys;

create table customers (
  owner_id text collate "C" not null,
  id uuid not null,
  constraint customers_pkey primary key (owner_id, id)
);

create table orders (
  owner_id text collate "C" not null,
  id uuid not null,
  status text not null,
  customer_id uuid null,
  reference text null,
  currency text not null,
  total_amount bigint not null,
  item_count int not null,
  note text null,
  metadata json not null,
  cancel_reason text null,
  -- MikroORM leaves the first version to the database.
  version int not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  paid_at timestamptz(3) null,
  shipped_at timestamptz(3) null,
  delivered_at timestamptz(3) null,
  cancelled_at timestamptz(3) null,
  constraint orders_pkey primary key (owner_id, id),
  constraint orders_customer_foreign foreign key (owner_id, customer_id) references customers (owner_id, id),
  constraint orders_status_check check (status in ('pending', 'paid', 'shipped', 'delivered', 'cancelled')),
  constraint orders_version_check check (version >= 1)
);

create unique index orders_reference_unique on orders (owner_id, reference collate "C") where reference is not null;
create index orders_created_index on orders (owner_id, created_at, id);
create index orders_updated_index on orders (owner_id, updated_at, id);
create index orders_status_created_index on orders (owner_id, status collate "C", created_at, id);
create index orders_status_updated_index on orders (owner_id, status collate "C", updated_at, id);
create index orders_customer_created_index on orders (owner_id, customer_id, created_at, id) where customer_id is not null;
create index orders_customer_updated_index on orders (owner_id, customer_id, updated_at, id) where customer_id is not null;

create table order_items (
  owner_id text collate "C" not null,
  order_id uuid not null,
  line int not null,
  id uuid not null,
  sku text not null,
  name text not null,
  quantity int not null,
  unit_amount bigint not null,
  total_amount bigint not null,
  constraint order_items_pkey primary key (owner_id, order_id, line),
  constraint order_items_order_foreign foreign key (owner_id, order_id) references orders (owner_id, id)
    on delete cascade
);

create table idempotency_records (
  owner_id text collate "C" not null,
  key text collate "C" not null,
  fingerprint text not null,
  aggregate_id uuid not null,
  snapshot json not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint idempotency_records_pkey primary key (owner_id, key)
);

create index idempotency_records_aggregate_index on idempotency_records (owner_id, aggregate_id);
create index idempotency_records_expires_index on idempotency_records (expires_at);

create table outbox (
  owner_id text collate "C" not null,
  id uuid not null,
  type text not null,
  aggregate_id uuid not null,
  version int not null,
  changed json not null,
  occurred_at timestamptz(3) not null,
  constraint outbox_pkey primary key (owner_id, id)
);

create index outbox_occurred_index on outbox (occurred_at);
