import { defineEntity, p } from '@mikro-orm/postgresql';

/** The pick-up of a sale: an entity of the shop, in a table of its own. */
export const PickUp = defineEntity({
  name: 'PickUp',
  tableName: 'pick_ups',
  properties: {
    id: p.uuid().primary(),
    order_id: p.uuid(),
    sale: p.integer(),
    shelf: p.text(),
  },
});

export const CREATE_PICK_UPS =
  'create table pick_ups (id uuid primary key, order_id uuid not null, sale integer not null, shelf text not null)';
