-- Orders of any definition: their custom data, the times of statuses that have no column, and the definitions that servers
-- have used. Which statuses exist follows from these definitions, and no longer from a constraint.
--
-- Locks orders, but reads and rewrites none.
--
-- In a block: Citus sends the text of a command to its workers, which here would be the text of all of them.
do $$
begin
  create table order_definitions (
    digest text collate "C" not null,
    -- Its lifecycle, with the initial status and that of a cancelled order.
    definition json not null,
    -- The time at which a server used it first.
    created_at timestamptz(3) not null,
    constraint order_definitions_pkey primary key (digest)
  );

  -- json, not jsonb: the members keep the order they were sent in, and the text its length.
  alter table orders add column custom json null;
  -- By status, in the format of the API. Null for an order that has entered none without a column.
  alter table orders add column status_times json null;
  alter table orders drop constraint orders_status_check;
end
$$;
