-- Every tenant table begins with its owner in every key, so that it can be distributed by owner_id as it is.

create table customers (
  owner_id text not null,
  id uuid not null,
  email text not null,
  -- The spelling that uniqueness is judged by, computed by the domain: lower() depends on the database's locale.
  email_key text not null,
  name text null,
  metadata json not null,
  version int not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint customers_pkey primary key (owner_id, id),
  constraint customers_email_unique unique (owner_id, email_key)
);

create table orders (
  owner_id text not null,
  id uuid not null,
  status text not null,
  customer_id uuid null,
  reference text null,
  currency text not null,
  total_amount bigint not null,
  item_count int not null,
  note text null,
  -- json, not jsonb: the members keep the order they were sent in.
  metadata json not null,
  cancel_reason text null,
  version int not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  paid_at timestamptz(3) null,
  shipped_at timestamptz(3) null,
  delivered_at timestamptz(3) null,
  cancelled_at timestamptz(3) null,
  constraint orders_pkey primary key (owner_id, id),
  constraint orders_reference_unique unique (owner_id, reference),
  constraint orders_customer_foreign foreign key (owner_id, customer_id) references customers (owner_id, id),
  constraint orders_status_check check (status in ('pending', 'paid', 'shipped', 'delivered', 'cancelled')),
  constraint orders_version_check check (version >= 1)
);

create index orders_created_index on orders (owner_id, created_at, id);
create index orders_updated_index on orders (owner_id, updated_at, id);
create index orders_status_created_index on orders (owner_id, status, created_at, id);
create index orders_status_updated_index on orders (owner_id, status, updated_at, id);
create index orders_customer_created_index on orders (owner_id, customer_id, created_at, id);
create index orders_customer_updated_index on orders (owner_id, customer_id, updated_at, id);

create table order_items (
  owner_id text not null,
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

-- What a write with an idempotency key left, kept with the write itself.
create table once (
  owner_id text not null,
  key text not null,
  fingerprint text not null,
  aggregate_id uuid not null,
  snapshot json not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint once_pkey primary key (owner_id, key)
);

create index once_aggregate_index on once (owner_id, aggregate_id);
create index once_expires_index on once (expires_at);

create table outbox (
  owner_id text not null,
  id uuid not null,
  type text not null,
  aggregate_id uuid not null,
  version int not null,
  changed json not null,
  occurred_at timestamptz(3) not null,
  constraint outbox_pkey primary key (owner_id, id)
);

create index outbox_occurred_index on outbox (occurred_at);

-- Not a tenant table: a key is looked up before its owner is known.
create table api_keys (
  key_hash text not null,
  prefix text not null,
  owner_id text not null,
  scopes json not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) null,
  revoked_at timestamptz(3) null,
  constraint api_keys_pkey primary key (key_hash),
  constraint api_keys_prefix_unique unique (prefix)
);
