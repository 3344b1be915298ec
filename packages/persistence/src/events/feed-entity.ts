import { defineEntity, p } from '@mikro-orm/postgresql';

/** The feed of an owner: which positions were given, and which have left the feed. */
export const FeedEntity = defineEntity({
  name: 'Feed',
  tableName: 'feeds',
  properties: {
    owner_id: p.text().collation('C').primary(),
    /** The last position that was given. */
    position: p.bigint('number'),
    /** The last position that has left the feed. */
    purged: p.bigint('number'),
    /** The id of the event at `purged`; null while that is 0. */
    purged_id: p.uuid().nullable(),
  },
});
