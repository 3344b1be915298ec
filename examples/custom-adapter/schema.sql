-- One row for each version of an order, customer or erasure: its event, the reason of the change, and the JSON of the aggregate
-- after it, which is null for a deletion and once erased. The current versions serve the lists, by columns that are generated from the JSON. `name` is
-- unique among those of an owner and kind: the reference of an order, and the email of a customer as emails are compared.
create table if not exists versions (
  sequence integer primary key,
  owner text not null,
  kind text not null,
  id text not null,
  version integer not null,
  event text not null,
  occurred_at text as (event ->> 'occurred_at'),
  reason text,
  body text,
  name text,
  is_current integer not null,
  created_at text as (body ->> 'created_at'),
  updated_at text as (body ->> 'updated_at'),
  status text as (body ->> 'status'),
  customer_id text as (body ->> 'customer_id'),
  unique (owner, kind, id, version)
) strict;

create unique index if not exists current_by_id on versions (owner, kind, id) where is_current;
create unique index if not exists current_by_name on versions (owner, kind, name) where is_current;
create index if not exists current_by_customer on versions (owner, customer_id) where is_current;
create index if not exists current_by_created_at on versions (owner, kind, created_at, id) where is_current;
create index if not exists current_by_updated_at on versions (owner, kind, updated_at, id) where is_current;

-- The last request of an erasure that was requested again.
create table if not exists repeated_erasures (
  owner text not null,
  id text not null,
  requested_at text not null,
  is_repeated integer not null,
  primary key (owner, id)
) strict;

-- The orders that were erased by email, so that they can be erased again after a restore.
create table if not exists erased_orders (
  owner text not null,
  id text not null,
  erased_at text not null,
  primary key (owner, id)
) strict;

-- The version that each idempotency key refers to: the one that its write made, or found if it changed nothing.
create table if not exists keys (
  owner text not null,
  key text not null,
  fingerprint text not null,
  expires_at text not null,
  kind text not null,
  id text not null,
  version integer not null,
  primary key (owner, key)
) strict;
