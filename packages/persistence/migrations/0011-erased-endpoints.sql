-- Outside a transaction.
-- The change records of deleted webhook endpoints, which a purge finds by their age. They have no snapshot, and most no type.
create index concurrently changes_erased_endpoints_index on changes (occurred_at)
  where aggregate = 'webhook_endpoint' and snapshot is null;
