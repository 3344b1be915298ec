create table if not exists customers (
  owner text not null,
  id text not null,
  email_key text not null,
  created_at text not null,
  updated_at text not null,
  body text not null,
  primary key (owner, id),
  unique (owner, email_key)
) strict;

create table if not exists orders (
  owner text not null,
  id text not null,
  status text not null,
  customer_id text,
  reference text,
  created_at text not null,
  updated_at text not null,
  body text not null,
  primary key (owner, id),
  unique (owner, reference),
  foreign key (owner, customer_id) references customers (owner, id)
) strict;

create index if not exists orders_by_customer on orders (owner, customer_id);

-- One record per version: its event, and the aggregate after it. A snapshot of null: a deletion, or erased.
create table if not exists changes (
  sequence integer primary key,
  owner text not null,
  aggregate text not null,
  id text not null,
  version integer not null,
  occurred_at text not null,
  event text not null,
  snapshot text,
  unique (owner, aggregate, id, version)
) strict;

-- The version that each idempotency key refers to: the one that its write made, or found if it changed nothing.
create table if not exists keys (
  owner text not null,
  key text not null,
  fingerprint text not null,
  expires_at text not null,
  aggregate text not null,
  id text not null,
  version integer not null,
  primary key (owner, key)
) strict;
