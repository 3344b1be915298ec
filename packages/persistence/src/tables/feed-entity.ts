import { entity } from './entity.ts';

/** The feed of an owner: which positions have left it. The last one that was given is that of a change. */
export const FeedEntity = entity({
  name: 'Feed',
  tableName: 'feeds',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    /** The last position that has left the feed. */
    purged: p.bigint('number'),
    /** The id of the event at `purged`; null while that is 0. */
    purged_id: p.uuid().nullable(),
  }),
});
