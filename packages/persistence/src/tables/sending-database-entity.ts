import { entity } from './entity.ts';

/** The database that sends webhooks, so that a copy of it recognizes itself. There is one row at most. */
export const SendingDatabaseEntity = entity({
  name: 'SendingDatabase',
  tableName: 'sending_database',
  properties: (p) => ({
    only_row: p.boolean().primary(),
    /** The identifier of the cluster and the oid of the database; empty if none may send. */
    identity: p.text(),
    /** Until then another database may take its place. */
    next_until: p.timestamp().nullable(),
  }),
});
