import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { Database } from '../database.ts';
import { ask } from '../shared/answer.ts';
import { toTimestamp, toTimestampOrNull } from '../shared/timestamp-type.ts';
import { clientCertificateStatements } from './client-certificate-statements.ts';

/** Whose certificate it is, and what it is good for. */
export interface CertificateOwner {
  readonly owner: Owner;
  readonly scopes: readonly string[];
}

/** A mapping as an administrator sees it. */
export interface ListedClientCertificate extends CertificateOwner {
  /** What certificates are known by: a URI of the subjectAltName, or the subject as in RFC 4514. */
  readonly identity: string;
  readonly created_at: Timestamp;
  readonly revoked_at: Timestamp | null;
}

/** In PostgreSQL, whose the client certificates are. */
export interface ClientCertificateRepository {
  /** By the first of `identities` that is allowed. */
  find(identities: readonly string[]): ResultAsync<CertificateOwner | null, Unavailable>;
  /** Maps an identity, anew when it was revoked; `false` when it is allowed already, whoever its owner. */
  allow(mapping: Omit<ListedClientCertificate, 'revoked_at'>): ResultAsync<boolean, Unavailable>;
  /** Every mapping, the oldest first. */
  list(): ResultAsync<readonly ListedClientCertificate[], Unavailable>;
  /** Ends a mapping; `false` when none that is still good has this identity. */
  revoke(identity: string, at: Timestamp): ResultAsync<boolean, Unavailable>;
}

/** In PostgreSQL, whose client certificates are good, and for what. */
export function postgresClientCertificates(database: Database): ClientCertificateRepository {
  const { orm, primary } = database;
  const statements = clientCertificateStatements(orm);
  return {
    find: (identities) =>
      ask(statements.find(primary, { certificate: { identities } })).map(([row]) =>
        row ? { owner: row.owner_id, scopes: row.scopes } : null,
      ),

    allow: ({ identity, owner, scopes, created_at }) => {
      const mapping = { identity, owner_id: owner, scopes: JSON.stringify(scopes), created_at };
      return ask(statements.allow(primary, { mapping })).map((allowed) => allowed.length > 0);
    },

    list: () =>
      ask(statements.list(primary, {})).map((rows) =>
        rows.map(({ owner_id: owner, created_at, revoked_at, ...row }) => ({
          ...row,
          owner,
          created_at: toTimestamp(created_at),
          revoked_at: toTimestampOrNull(revoked_at),
        })),
      ),

    revoke: (identity, at) =>
      ask(statements.revoke(primary, { mapping: { identity, revoked_at: at } })).map((revoked) => revoked.length > 0),
  };
}
