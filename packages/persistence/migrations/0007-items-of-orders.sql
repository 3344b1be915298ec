-- The items of an order become a column of the order. They never change and are always read with it, so that an order is
-- one row: placed by one insert, read by one lookup.
--
-- Rewrites every order under an exclusive lock.
-- Refused beside servers of release 0.1.0.
--
-- In a block: Citus sends the text of a command to its workers, which here would be the text of all of them.
do $$
begin
  alter table orders add column items json null;
  update orders as o set items = (
    select json_agg(
      json_build_object(
        'id', i.id, 'sku', i.sku, 'name', i.name, 'quantity', i.quantity,
        'unit_amount', i.unit_amount, 'total_amount', i.total_amount
      ) order by i.line
    ) from order_items as i where i.owner_id = o.owner_id and i.order_id = o.id
  );
  alter table orders alter column items set not null;
  drop table order_items;
end
$$;
