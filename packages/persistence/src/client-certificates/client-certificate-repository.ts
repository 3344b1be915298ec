import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { Database } from '../database.ts';
import { withEntityManager } from '../shared/with-entity-manager.ts';
import { ClientCertificateEntity } from './client-certificate-entity.ts';

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
  const { orm } = database;
  return {
    find: (identities) =>
      withEntityManager(orm, async (em) => {
        const allowed = await em.find(ClientCertificateEntity, {
          identity: { $in: [...identities] },
          revoked_at: null,
        });
        const byIdentity = new Map(allowed.map((certificate) => [certificate.identity, certificate]));
        const [first] = identities.flatMap((identity) => byIdentity.get(identity) ?? []);
        return first ? { owner: first.owner_id, scopes: first.scopes } : null;
      }),

    allow: ({ identity, owner, scopes, created_at }) =>
      withEntityManager(orm, async (em) => {
        // Not `em.upsert`, which does not return whether a row was written.
        const { affectedRows } = await em
          .createQueryBuilder(ClientCertificateEntity)
          .insert({ identity, owner_id: owner, scopes, created_at, revoked_at: null })
          .onConflict('identity')
          .merge()
          .where({ revoked_at: { $ne: null } })
          .execute<{ readonly affectedRows: number }>('run');
        return affectedRows > 0;
      }),

    list: () =>
      withEntityManager(orm, async (em) => {
        const mappings = await em.findAll(ClientCertificateEntity, { orderBy: { created_at: 'asc', identity: 'asc' } });
        return mappings.map(({ identity, owner_id: owner, scopes, created_at, revoked_at = null }) => ({
          identity,
          owner,
          scopes,
          created_at,
          revoked_at,
        }));
      }),

    revoke: (identity, at) =>
      withEntityManager(orm, async (em) => {
        const revoked = await em.nativeUpdate(
          ClientCertificateEntity,
          { identity, revoked_at: null },
          { revoked_at: at },
        );
        return revoked > 0;
      }),
  };
}
