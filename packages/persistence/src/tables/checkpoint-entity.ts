import { entity } from './entity.ts';

/** The position up to which a consumer has handled the events of an owner; null before the first. */
export const CheckpointEntity = entity({
  name: 'Checkpoint',
  tableName: 'checkpoints',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    name: p.text().collation('C').primary(),
    position: p.bigint('number').nullable(),
    /** The last 16 hexadecimal digits of the id of the event at the position. */
    event: p.text().nullable(),
    /** Of the last claim. */
    fence: p.bigint('number'),
    /** The end of the claim; null without one. */
    held_until: p.timestamp().nullable(),
  }),
});
