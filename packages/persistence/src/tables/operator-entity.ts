import { entity } from './entity.ts';

/** A person who operates the server. */
export const OperatorEntity = entity({
  name: 'Operator',
  tableName: 'operators',
  properties: (p) => ({
    id: p.uuid().primary(),
    name: p.text(),
    role: p.text(),
    signs_in: p.text(),
    created_at: p.timestamp(),
    revoked_at: p.timestamp().nullable(),
    last_used_at: p.timestamp().nullable(),
  }),
});

/** A token of an operator, stored only as a hash: that of a sign-in link, or of a session. */
export const OperatorTokenEntity = entity({
  name: 'OperatorToken',
  tableName: 'operator_tokens',
  properties: (p) => ({
    token_hash: p.text().collation('C').primary(),
    id: p.uuid(),
    operator_id: p.uuid(),
    kind: p.text(),
    created_at: p.timestamp(),
    expires_at: p.timestamp(),
    last_used_at: p.timestamp().nullable(),
    revoked_at: p.timestamp().nullable(),
  }),
});

/** What operators have set for an owner. It is not distributed: each server reads all of them, whatever node is down. */
export const OwnerSettingsEntity = entity({
  name: 'OwnerSettings',
  tableName: 'owner_settings',
  properties: (p) => ({
    owner: p.text().collation('C').primary(),
    suspended_at: p.timestamp().nullable(),
    rate_limit_read: p.integer().nullable(),
    rate_limit_write: p.integer().nullable(),
    rate_limit_batch: p.integer().nullable(),
  }),
});

/** What operators did that is not about the data of an owner. It is apart, so that it can be recorded while a node of Citus is down. */
export const OperatorAuditEntity = entity({
  name: 'OperatorAudit',
  tableName: 'operator_audit',
  properties: (p) => ({
    id: p.uuid().primary(),
    occurred_at: p.timestamp(),
    owner: p.text().collation('C').nullable(),
    actor: p.text(),
    action: p.text(),
    subject: p.text().nullable(),
    reason: p.text().nullable(),
  }),
});

/** What operators read and changed of an owner. */
export const OwnerAuditEntity = entity({
  name: 'OwnerAudit',
  tableName: 'owner_audit',
  properties: (p) => ({
    owner_id: p.text().collation('C').primary(),
    id: p.uuid().primary(),
    occurred_at: p.timestamp(),
    actor: p.text(),
    action: p.text(),
    subject: p.text().collation('C').nullable(),
    reason: p.text().nullable(),
    version: p.integer().nullable(),
  }),
});

/** What an operator does to many resources. It is not distributed: each server finds it, whatever node is down. */
export const OperatorJobEntity = entity({
  name: 'OperatorJob',
  tableName: 'operator_jobs',
  properties: (p) => ({
    id: p.uuid().primary(),
    kind: p.text(),
    filter: p.json<object>().columnType('json'),
    status: p.text(),
    dry_run: p.boolean(),
    actor: p.text(),
    reason: p.text().nullable(),
    created_at: p.timestamp(),
    ended_at: p.timestamp().nullable(),
    progress: p.json<object>().columnType('json'),
    held_until: p.timestamp(),
    fence: p.bigint('number'),
  }),
});
