import type { FeedResourceType } from '@orders/domain/events';
import { entity } from './entity.ts';

/** The idempotency record of a write: its key and fingerprint, and the version whose change record has the result. */
export const IdempotencyEntity = entity({
  name: 'Idempotency',
  tableName: 'idempotency',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    key: p.text().collation('C').primary(),
    fingerprint: p.text(),
    aggregate: p.text().collation('C').$type<FeedResourceType>(),
    aggregate_id: p.uuid(),
    /** The version that the write made, or the current one of a write that changed nothing. */
    version: p.integer(),
    expires_at: p.timestamp(),
  }),
});
