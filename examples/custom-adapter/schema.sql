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

-- What each idempotency key was used for. A body of null: what the write left was deleted.
create table if not exists keys (
  owner text not null,
  key text not null,
  fingerprint text not null,
  expires_at text not null,
  id text not null,
  body text,
  primary key (owner, key)
) strict;

create table if not exists events (
  sequence integer primary key,
  owner text not null,
  body text not null
) strict;
