import { defineEntity, p } from '@mikro-orm/postgresql';

/** The position up to which a consumer has handled the events of an owner. */
export const CheckpointEntity = defineEntity({
  name: 'Checkpoint',
  tableName: 'checkpoints',
  properties: {
    owner_id: p.text().collation('C').primary(),
    name: p.text().collation('C').primary(),
    position: p.bigint('number'),
    /** The last 16 hexadecimal digits of the id of the event at the position. */
    event: p.text(),
  },
});
