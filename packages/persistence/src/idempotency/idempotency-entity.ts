import { defineEntity, p } from '@mikro-orm/postgresql';
import { TimestampType } from '../shared/timestamp-type.ts';
import type { Snapshot } from './idempotency-record.ts';

/** The idempotency record of a write: its key, fingerprint, and result. */
export const IdempotencyEntity = defineEntity({
  name: 'Once',
  tableName: 'once',
  properties: {
    owner_id: p.text().collation('C').primary(),
    key: p.text().collation('C').primary(),
    fingerprint: p.text(),
    aggregate_id: p.uuid(),
    snapshot: p.json<Snapshot>().columnType('json'),
    created_at: p.type(TimestampType),
    expires_at: p.type(TimestampType),
  },
  indexes: [
    { name: 'once_aggregate_index', properties: ['owner_id', 'aggregate_id'] },
    { name: 'once_expires_index', properties: ['expires_at'] },
  ],
});
