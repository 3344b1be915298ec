import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { beginToLoad, withEntityManager } from '../tables/with-entity-manager.ts';
import { isUnrecorded, type ListedCredential } from '../tables/credential-uses.ts';
import { ClientCertificateEntity } from '../tables/client-certificate-entity.ts';

/** The owner and scopes that a client certificate authenticates. */
export interface CertificateOwner {
  /** The identity in the certificates: a URI of the subjectAltName, or the subject in the format of RFC 4514. */
  readonly identity: string;
  readonly owner: Owner;
  readonly scopes: readonly string[];
}

/** A mapping from a certificate identity to an owner, as listed for administrators. */
export interface ListedClientCertificate extends CertificateOwner, ListedCredential {}

/** A new mapping. */
export interface NewClientCertificate extends Omit<ListedClientCertificate, 'revoked_at' | 'name' | 'last_used_at'> {
  /** Default: no name. */
  readonly name?: string | null | undefined;
}

/** The mappings from client certificates to owners in PostgreSQL. */
export interface ClientCertificateRepository {
  /** Returns the owner of the first identity in `identities` that has an unrevoked mapping, or `null`. */
  find(identities: readonly string[]): ResultAsync<CertificateOwner | null, Unavailable>;
  /** Stores a mapping, or replaces a revoked one; `false` when an unrevoked mapping exists, whatever its owner. */
  allow(mapping: NewClientCertificate): ResultAsync<boolean, Unavailable>;
  /** Returns all mappings, the oldest first. */
  list(): ResultAsync<readonly ListedClientCertificate[], Unavailable>;
  /** Revokes a mapping; `false` when no unrevoked mapping has this identity. */
  revoke(identity: string, at: Timestamp): ResultAsync<boolean, Unavailable>;
  /** Records that mappings were used at a time, in one statement: of each at most one use a minute. */
  recordUses(identities: readonly string[], at: Timestamp): ResultAsync<void, Unavailable>;
}

/** Returns the repository of client certificate mappings in this database. */
export function postgresClientCertificates(database: OrdersDatabase): ClientCertificateRepository {
  const { orm } = database;
  beginToLoad(orm);
  return {
    find: (identities) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const allowed = await em.find(entityOf(ClientCertificateEntity), {
          identity: { $in: [...identities] },
          revoked_at: null,
        });
        const byIdentity = new Map(allowed.map((certificate) => [certificate.identity, certificate]));
        const [first] = identities.flatMap((identity) => byIdentity.get(identity) ?? []);
        return first ? { identity: first.identity, owner: first.owner_id, scopes: first.scopes } : null;
      }),

    allow: ({ owner, name = null, ...mapping }) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        // `em.upsert` does not return whether a row was written.
        const { affectedRows } = await em
          .createQueryBuilder(entityOf(ClientCertificateEntity))
          .insert({ ...mapping, owner_id: owner, revoked_at: null, name, last_used_at: null })
          .onConflict('identity')
          .merge()
          .where({ revoked_at: { $ne: null } })
          .execute<{ readonly affectedRows: number }>('run');
        return affectedRows > 0;
      }),

    list: () =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const mappings = await em.findAll(entityOf(ClientCertificateEntity), {
          orderBy: { created_at: 'asc', identity: 'asc' },
        });
        return mappings.map(({ identity, owner_id: owner, scopes, created_at, ...others }) => {
          const { revoked_at = null, name = null, last_used_at = null } = others;
          return { identity, owner, scopes, created_at, revoked_at, name, last_used_at };
        });
      }),

    revoke: (identity, at) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const revoked = await em.nativeUpdate(
          entityOf(ClientCertificateEntity),
          { identity, revoked_at: null },
          { revoked_at: at },
        );
        return revoked > 0;
      }),

    recordUses: (identities, at) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const used = { identity: { $in: [...identities] }, ...isUnrecorded(at) };
        await em.nativeUpdate(entityOf(ClientCertificateEntity), used, { last_used_at: at });
      }),
  };
}
