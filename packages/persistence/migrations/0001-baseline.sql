-- `our` stands for the schema of the tables, which is named where a database is opened (src/tables/schema.ts).

-- Every tenant table begins with its owner in every key, so that it can be distributed by owner_id as it is. Text of keys is
-- collated by "C": an index in the order of the database's collation is corrupt once an upgrade of the C library changes
-- that order.

-- Customers, and what is left of erased ones.
create table our.customers (
  -- The tenant: rows of one are never read for another.
  owner_id text collate "C" not null,
  id uuid not null,
  -- Null once the customer is erased.
  email text null,
  -- The spelling that uniqueness is judged by, computed by the domain: lower() depends on the database's locale.
  email_key text collate "C" null,
  name text null,
  metadata json not null,
  -- Grows by 1 with each change.
  version int not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  erased_at timestamptz(3) null,
  -- `pending` until the orders are erased, too, and then `done`; `repeated` while an erasure that was done is pending again.
  erasure text null,
  -- The time of its last request.
  erasure_requested_at timestamptz(3) null,
  constraint customers_pkey primary key (owner_id, id),
  constraint customers_email_unique unique (owner_id, email_key)
);

-- No samples of personal data for plans, which an erasure would not reach. PostgreSQL keeps none of json.
alter table our.customers
  alter email set statistics 0,
  alter email_key set statistics 0,
  alter name set statistics 0;

-- Lists by either time.
create index customers_created_index on our.customers (owner_id, created_at, id);
create index customers_updated_index on our.customers (owner_id, updated_at, id);
-- The list of erased customers.
create index customers_erased_index on our.customers (owner_id, id) where erased_at is not null;
-- Erasures that are left to finish.
create index customers_erasing_index on our.customers (owner_id, id) where erasure in ('pending', 'repeated');

-- Erasures by email, also of guests.
create table our.erasures (
  owner_id text collate "C" not null,
  id uuid not null,
  -- As in customers. Null once the erasure is done.
  email_key text collate "C" null,
  -- Who had the email when it was requested. No foreign key: an erased customer is never deleted.
  customer_id uuid null,
  version int not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint erasures_pkey primary key (owner_id, id)
);

alter table our.erasures alter email_key set statistics 0;

create index erasures_pending_index on our.erasures (owner_id, id) where email_key is not null;
-- The purge of those that are done.
create index erasures_created_index on our.erasures (created_at) where email_key is null;

-- The orders that were erased by email, deleted ones too, so that they can be erased again after a restore.
create table our.erased_orders (
  owner_id text collate "C" not null,
  id uuid not null,
  erased_at timestamptz(3) not null,
  constraint erased_orders_pkey primary key (owner_id, id)
);

create index erased_orders_erased_index on our.erased_orders (erased_at);

-- Orders of any definition. Which statuses exist follows from the definitions that servers have used.
create table our.orders (
  owner_id text collate "C" not null,
  id uuid not null,
  status text not null,
  customer_id uuid null,
  reference text null,
  currency text not null,
  -- In minor units.
  total_amount bigint not null,
  -- Its items and adjustments, and the items of its fulfillments. The size of a page of orders is limited by them.
  element_count int not null,
  -- Lists of ids by system; null without any.
  external_ids json null,
  buyer json null,
  shipping_address json null,
  billing_address json null,
  note text null,
  -- json, not jsonb: the members keep the order they were sent in, and the text its length.
  metadata json not null,
  cancel_reason text null,
  version int not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  paid_at timestamptz(3) null,
  shipped_at timestamptz(3) null,
  delivered_at timestamptz(3) null,
  cancelled_at timestamptz(3) null,
  -- When an operator corrected the status last.
  corrected_at timestamptz(3) null,
  erased_at timestamptz(3) null,
  -- They never change and are always read with the order, so that an order is one row.
  items json not null,
  -- Of each item those that are fulfilled, cancelled and returned. Null while there are none.
  quantities json null,
  -- Null if there are none. They only grow, except that a fulfillment may be cancelled, which has the version of that.
  adjustments json null,
  fulfillments json null,
  custom json null,
  -- The times of statuses that have no column, by status, in the format of the API. Null if it has entered none.
  status_times json null,
  constraint orders_pkey primary key (owner_id, id),
  constraint orders_customer_foreign foreign key (owner_id, customer_id) references our.customers (owner_id, id),
  constraint orders_version_check check (version >= 1)
);

alter table our.orders
  alter buyer set statistics 0,
  alter shipping_address set statistics 0,
  alter billing_address set statistics 0,
  alter note set statistics 0,
  alter cancel_reason set statistics 0;

-- One order per reference. A constraint would have the collation of its column. An order without a reference or a customer has
-- no entry for it: every change of an order writes an entry into each index that it is in.
create unique index orders_reference_unique on our.orders (owner_id, reference collate "C") where reference is not null;
-- Lists by either time: of all orders, in a status, of a customer.
create index orders_created_index on our.orders (owner_id, created_at, id);
create index orders_updated_index on our.orders (owner_id, updated_at, id);
create index orders_status_created_index on our.orders (owner_id, status collate "C", created_at, id);
create index orders_status_updated_index on our.orders (owner_id, status collate "C", updated_at, id);
create index orders_customer_created_index on our.orders (owner_id, customer_id, created_at, id)
  where customer_id is not null;
create index orders_customer_updated_index on our.orders (owner_id, customer_id, updated_at, id)
  where customer_id is not null;

-- What orders are found by, exactly: a row for each lookup of an order.
create table our.order_lookups (
  owner_id text collate "C" not null,
  -- `external.` and a system, `own.` and a name of the definition, or `email`, which has the value of customers.email_key.
  name text collate "C" not null,
  value text collate "C" not null,
  -- Of the order. A list of orders is a range of the primary key.
  created_at timestamptz(3) not null,
  order_id uuid not null,
  constraint order_lookups_pkey primary key (owner_id, name, value, created_at, order_id)
);

alter table our.order_lookups alter value set statistics 0;

-- The lookups of an order.
create index order_lookups_order_index on our.order_lookups (owner_id, order_id);

-- The people who operate the server.
create table our.operators (
  id uuid not null,
  name text not null,
  role text not null,
  -- By links, or by the tokens of a proxy, whose issuer takes back what it gave.
  signs_in text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3) null,
  -- To the minute, with the token of a proxy. That of a session is the one of its token.
  last_used_at timestamptz(3) null,
  constraint operators_pkey primary key (id),
  constraint operators_role_check check (role in ('viewer', 'support', 'admin')),
  constraint operators_signs_in_check check (signs_in in ('link', 'proxy'))
);

-- What operators sign in with once, and their sessions.
create table our.operator_tokens (
  -- Of the token, which is stored nowhere.
  token_hash text collate "C" not null,
  -- By which a session is listed and ended.
  id uuid not null,
  -- No operator is ever deleted.
  operator_id uuid not null,
  -- `sign_in` works once, `session` until it expires or was not used for long.
  kind text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- To the minute.
  last_used_at timestamptz(3) null,
  -- When it was used, if it works once.
  revoked_at timestamptz(3) null,
  constraint operator_tokens_pkey primary key (token_hash),
  constraint operator_tokens_id_unique unique (id),
  constraint operator_tokens_kind_check check (kind in ('sign_in', 'session'))
);

create index operator_tokens_operator_index on our.operator_tokens (operator_id);

-- What operators have set for owners. A row without anything is deleted.
create table our.owner_settings (
  owner text collate "C" not null,
  -- Null unless its requests are refused.
  suspended_at timestamptz(3) null,
  -- Per minute, 0 for no limit. Null for those of the servers.
  rate_limit_read int null,
  rate_limit_write int null,
  rate_limit_batch int null,
  constraint owner_settings_pkey primary key (owner)
);

-- What operators did that is not about the data of an owner. Rows are never changed.
create table our.operator_audit (
  id uuid not null,
  occurred_at timestamptz(3) not null,
  -- Whose credentials they are.
  owner text collate "C" null,
  -- `operator:` and an id, or `command:` and the user of the operating system.
  actor text not null,
  -- The operation, such as `get_order`.
  action text not null,
  -- What it was about.
  subject text null,
  reason text null,
  constraint operator_audit_pkey primary key (id)
);

create index operator_audit_owner_index on our.operator_audit (owner, id) where owner is not null;

-- What operators read and changed of an owner. An erasure empties the reasons; nothing else changes a row.
create table our.owner_audit (
  owner_id text collate "C" not null,
  id uuid not null,
  occurred_at timestamptz(3) not null,
  actor text not null,
  action text not null,
  subject text collate "C" null,
  reason text null,
  -- The version of the subject that was made. Null if none was.
  version int null,
  constraint owner_audit_pkey primary key (owner_id, id)
);

-- Samples of an erased reason would be kept.
alter table our.owner_audit alter reason set statistics 0;

-- The newest of all owners.
create index owner_audit_id_index on our.owner_audit (id);
-- What an erasure empties, and a timeline has.
create index owner_audit_reason_index on our.owner_audit (owner_id, subject, version) where reason is not null;

-- What operators wrote about an order. An erasure empties the texts; nothing else changes a row. They leave after the order.
create table our.order_comments (
  owner_id text collate "C" not null,
  order_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  -- `operator:` and an id, or `command:` and the user of the operating system.
  author text not null,
  text text null,
  -- The idempotency key. Null without one.
  key text collate "C" null,
  constraint order_comments_pkey primary key (owner_id, order_id, id),
  constraint order_comments_key_unique unique (owner_id, order_id, key)
);

alter table our.order_comments alter text set statistics 0;

-- What operators do to many resources of many owners, in the background. Not distributed, so that each server finds it.
create table our.operator_jobs (
  id uuid not null,
  kind text not null,
  -- What it acts on. No personal data.
  filter json not null,
  -- It counts, waits after a dry run, acts, and has ended.
  status text not null,
  -- Whether it waits until it is started.
  dry_run boolean not null,
  actor text not null,
  reason text null,
  -- What was created later is left alone.
  created_at timestamptz(3) not null,
  ended_at timestamptz(3) null,
  -- What it has done, and where it goes on. Changes in the transaction of what it does.
  progress json not null,
  -- The end of the lease of the server that works on it, and the number of leases.
  held_until timestamptz(3) not null,
  fence bigint not null,
  constraint operator_jobs_pkey primary key (id),
  constraint operator_jobs_kind_check check (kind in ('redeliver', 'cancel')),
  constraint operator_jobs_status_check check (status in ('counting', 'counted', 'running', 'done', 'cancelled'))
);

-- The next one to work on.
create index operator_jobs_held_index on our.operator_jobs (held_until) where status in ('counting', 'running');

-- The definitions that servers have used. A new one must have the statuses that orders are in.
create table our.order_definitions (
  -- Of the definition.
  digest text collate "C" not null,
  -- Its lifecycle, with the initial status and that of a cancelled order.
  definition json not null,
  -- The time at which a server used it first.
  created_at timestamptz(3) not null,
  constraint order_definitions_pkey primary key (digest)
);

-- One record per change: the event, the history of the aggregate and the recorded result of a write.
create table our.changes (
  owner_id text collate "C" not null,
  -- What was changed: `order`, `customer` or `webhook_endpoint`.
  aggregate text collate "C" not null,
  aggregate_id uuid not null,
  version int not null,
  -- Null for a version that is no event of the feed.
  event_id uuid null,
  -- Of the event, such as `order.placed`.
  type text null,
  -- The members that the change gave another value.
  changed json not null,
  occurred_at timestamptz(3) not null,
  -- Who made it, such as the prefix of an API key.
  actor text null,
  -- The aggregate at this version; an order without what the next columns have. Null for a deletion, and after it was erased.
  snapshot json null,
  -- How to read the snapshot.
  snapshot_format smallint not null,
  -- Those of a deleted order, on the record of its deletion. Those of other orders are in their rows.
  items json null,
  adjustments json null,
  fulfillments json null,
  -- In the feed, given when it is read.
  position bigint null,
  -- The user whom the actor has named. Null also after it was erased.
  external_user_id text null,
  constraint changes_pkey primary key (owner_id, aggregate, aggregate_id, version)
);

alter table our.changes alter external_user_id set statistics 0;

-- The purge begins with deletions, which are few.
create index changes_deleted_index on our.changes (occurred_at) where type in ('order.deleted', 'customer.deleted');
-- Those of deleted webhook endpoints and of erasures have no snapshot, and most no type.
create index changes_erased_index on our.changes (occurred_at)
  where aggregate in ('webhook_endpoint', 'erasure') and snapshot is null;
-- The events that have no position yet.
create index changes_unnumbered_index on our.changes (owner_id, occurred_at) where position is null and type is not null;
-- The feed, in its order.
create unique index changes_position_unique on our.changes (owner_id, position) where position is not null;
-- What a purge may delete. Without the changes of the unnumbered index, so that a statement which gives positions cannot read this one instead.
-- No condition on a position implies this one, so that no statement looks for a position here either.
create index changes_occurred_index on our.changes (occurred_at) where (position is null and type is not null) is not true;

-- One record per idempotency key: a repetition of the request gets what this one made.
create table our.idempotency (
  owner_id text collate "C" not null,
  key text collate "C" not null,
  -- A digest of the request.
  fingerprint text not null,
  -- The version that the write made, or the current one of a write that changed nothing.
  aggregate text collate "C" not null,
  aggregate_id uuid not null,
  version int not null,
  expires_at timestamptz(3) not null,
  constraint idempotency_pkey primary key (owner_id, key)
);

-- The purge of expired keys.
create index idempotency_expires_index on our.idempotency (expires_at);
-- Whether a key refers to a record, which a purge then keeps.
create index idempotency_aggregate_index on our.idempotency (owner_id, aggregate_id);

-- How far the feed of each owner was purged.
create table our.feeds (
  owner_id text collate "C" not null,
  -- The last position that has left the feed. A change has the last one that was given.
  purged bigint not null,
  -- Its event. Null while the position is 0.
  purged_id uuid null,
  constraint feeds_pkey primary key (owner_id)
);

-- How far each consumer has followed the feed of each owner.
create table our.checkpoints (
  owner_id text collate "C" not null,
  -- The consumer's.
  name text collate "C" not null,
  -- Null before the first save of a claim.
  position bigint null,
  event text null,
  -- Of the last claim. The processes of a consumer of all owners share them by claims.
  fence bigint not null,
  -- Null without a claim.
  held_until timestamptz(3) null,
  constraint checkpoints_pkey primary key (owner_id, name)
);

-- How many orders were placed, and entered a status, in each quarter of an hour, hour and day of UTC, and the sum of their
-- current totals. Counted from the feed, up to the checkpoint `orders.statistics`.
create table our.order_statistics (
  owner_id text collate "C" not null,
  -- Those that are read have the fence of the checkpoint. Orders that are counted again are counted in another revision.
  revision bigint not null,
  -- The length of the time in quarters of an hour: 1, 4 or 96.
  width smallint not null,
  -- The begin of the time, in quarters of an hour since the Unix epoch.
  quarter int not null,
  status text collate "C" not null,
  currency text collate "C" not null,
  orders bigint not null,
  -- A sum of many totals exceeds a bigint.
  total numeric not null,
  constraint order_statistics_pkey primary key (owner_id, revision, width, quarter, status, currency)
);

-- The webhook endpoints of an owner.
create table our.webhook_endpoints (
  owner_id text collate "C" not null,
  id uuid not null,
  url text not null,
  -- Null for every type.
  types json null,
  include json not null,
  description text null,
  status text not null,
  disabled_reason text null,
  secrets json not null,
  -- The endpoint receives the events after this position.
  start bigint not null,
  -- Limits the number of endpoints of an owner, also when several are created at the same time.
  slot smallint not null,
  version int not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint webhook_endpoints_pkey primary key (owner_id, id),
  constraint webhook_endpoints_slot_unique unique (owner_id, slot),
  constraint webhook_endpoints_slot_check check (slot between 1 and 10),
  constraint webhook_endpoints_start_check check (start >= 0),
  constraint webhook_endpoints_status_check check (status in ('enabled', 'disabled')),
  constraint webhook_endpoints_reason_check check ((status = 'disabled') = (disabled_reason is not null)),
  constraint webhook_endpoints_version_check check (version > 0)
);

-- How far each endpoint has received the feed. Without a foreign key: a deletion of an endpoint deletes neither its queue nor its deliveries, which may be many.
create table our.webhook_queues (
  owner_id text collate "C" not null,
  endpoint_id uuid not null,
  -- The last event that was turned into a delivery, or was not wanted.
  position bigint not null,
  -- The version of the endpoint that the queue agrees with.
  endpoint_version int not null,
  -- Failed deliveries after this position become pending again. Null when none are left to.
  requeue_after bigint null,
  -- The number of deliveries whose first attempt failed since the last success.
  failing int not null,
  -- The time of the next first attempt while the endpoint fails.
  fresh_after timestamptz(3) null,
  last_success_at timestamptz(3) null,
  -- Grows with each change of the row. The highest one is found without passing earlier versions of the row, which
  -- PostgreSQL keeps while another session has an old snapshot.
  revision bigint not null,
  -- The positions of the claimed deliveries. Null before the first claim.
  in_flight bigint[] null,
  -- The first of these leases ends then, if no further delivery may be claimed.
  full_until timestamptz(3) null,
  -- All deliveries without an attempt that were due until then were claimed; of those at this time, up to the position.
  -- Claims begin after it, because the index may still have all of them.
  fresh_claimed_to timestamptz(3) null,
  fresh_claimed_position bigint null,
  -- The same for deliveries with an attempt. It lags, because those that are requested again lock no queue.
  retries_claimed_to timestamptz(3) null,
  constraint webhook_queues_pkey primary key (owner_id, endpoint_id, revision)
);

-- One delivery per event and endpoint.
create table our.webhook_deliveries (
  owner_id text collate "C" not null,
  endpoint_id uuid not null,
  position bigint not null,
  -- The event in it.
  event_id uuid not null,
  type text not null,
  aggregate text collate "C" not null,
  aggregate_id uuid not null,
  version int not null,
  status text collate "C" not null,
  attempts int not null,
  -- Whether no attempt was made yet, and none was requested.
  fresh boolean not null,
  -- Whether it was requested again, and is outside the order of its aggregate.
  redelivery boolean not null,
  -- Null while an earlier delivery of the aggregate is pending, and when no attempt is left.
  due_at timestamptz(3) null,
  leased_until timestamptz(3) null,
  -- The number of claims.
  fence int not null,
  first_attempt_at timestamptz(3) null,
  last_status smallint null,
  last_error text null,
  last_duration_ms int null,
  -- When the endpoint last accepted it. Kept while it is sent again.
  delivered_at timestamptz(3) null,
  constraint webhook_deliveries_pkey primary key (owner_id, endpoint_id, position),
  constraint webhook_deliveries_event_unique unique (owner_id, event_id, endpoint_id),
  constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed'))
);

-- Lists by status.
create index webhook_deliveries_status_index on our.webhook_deliveries (owner_id, endpoint_id, status, position);
-- What is due: first attempts, and repeated ones.
create index webhook_deliveries_due_index on our.webhook_deliveries (owner_id, endpoint_id, fresh, due_at, position)
  where due_at is not null;
-- What the next delivery of an aggregate waits for.
create index webhook_deliveries_order_index on our.webhook_deliveries
  (owner_id, endpoint_id, aggregate, aggregate_id, position) where status = 'pending' and not redelivery;

-- Not a tenant table: one row at most, of the database that sends webhooks. A copy of it has the same row.
create table our.sending_database (
  only_row boolean not null,
  -- The identifier of the cluster and the oid of the database; empty if none may send.
  identity text not null,
  -- Until then another database may take its place.
  next_until timestamptz(3) null,
  constraint sending_database_pkey primary key (only_row),
  constraint sending_database_only_row_check check (only_row)
);

-- API keys. Not a tenant table: a key is looked up before its owner is known.
create table our.api_keys (
  -- SHA-256 of the key, which is not stored.
  key_hash text collate "C" not null,
  prefix text collate "C" not null,
  owner_id text not null,
  scopes json not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) null,
  revoked_at timestamptz(3) null,
  name text null,
  -- Written once a minute at most. No index has it, so that the write changes none.
  last_used_at timestamptz(3) null,
  constraint api_keys_pkey primary key (key_hash),
  constraint api_keys_prefix_unique unique (prefix)
);

-- Client certificates. Not a tenant table: a certificate is looked up before its owner is known.
create table our.client_certificates (
  -- A URI of the certificate's subjectAltName, or its subject as in RFC 4514.
  identity text collate "C" not null,
  owner_id text not null,
  scopes json not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3) null,
  name text null,
  last_used_at timestamptz(3) null,
  constraint client_certificates_pkey primary key (identity)
);
