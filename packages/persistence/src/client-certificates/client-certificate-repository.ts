import { hash } from 'node:crypto';
import type { Owner, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { type Auditing, recordedWrites } from '../admin/audit.ts';
import {
  type CredentialPlace,
  type CredentialRepository,
  type ListedCredential,
  postgresCredentials,
} from '../admin/credentials.ts';
import type { OrdersDatabase } from '../database/database.ts';
import { jsonText, prepare } from '../sql/statement.ts';
import { beginToLoad, withEntityManager } from '../tables/with-entity-manager.ts';
import { CERTIFICATE_DIGITS, ClientCertificateEntity } from '../tables/client-certificate-entity.ts';

/** The owner and scopes that a client certificate authenticates. */
export interface CertificateOwner {
  /** The identity in the certificates: a URI of the subjectAltName, or the subject in the format of RFC 4514. */
  readonly identity: string;
  readonly owner: Owner;
  readonly scopes: readonly string[];
}

/** A mapping that was found, with the actor of its changes: `certificate:`, and the beginning of the SHA-256 of the identity. */
export interface FoundCertificate extends CertificateOwner {
  readonly actor: string;
}

/** A mapping from a certificate identity to an owner, as listed for administrators. */
export interface ListedClientCertificate extends CertificateOwner, ListedCredential {}

/** A new mapping. */
export interface NewClientCertificate extends Omit<ListedClientCertificate, 'revoked_at' | 'name' | 'last_used_at'> {
  /** Default: no name. */
  readonly name?: string | null | undefined;
}

/** The mappings from client certificates to owners in PostgreSQL. An identity identifies one. */
export interface ClientCertificateRepository extends CredentialRepository<ListedClientCertificate> {
  /** Returns the owner of the first identity in `identities` that has an unrevoked mapping, or `null`. */
  find(identities: readonly string[]): ResultAsync<FoundCertificate | null, Unavailable>;
  /**
   * Stores a mapping, or replaces a revoked one; `false` when an unrevoked mapping exists, whatever its owner. Records `by`
   * whom in the same transaction. Default: it is not recorded.
   */
  allow(mapping: NewClientCertificate, by?: Auditing): ResultAsync<boolean, Unavailable>;
}

/** Returns the repository of client certificate mappings in this database. */
export function postgresClientCertificates(database: OrdersDatabase): ClientCertificateRepository {
  const { orm } = database;
  beginToLoad(orm);
  const recorded = recordedWrites(database);
  const allow = prepare<Omit<NewClientCertificate, 'scopes'> & { readonly scopes: string }, CredentialPlace>(orm)`
      insert into our.client_certificates as c (identity, owner_id, scopes, name, created_at)
      values (${'identity'}, ${'owner'}, ${'scopes'}::json, ${'name'}, ${'created_at'}::timestamptz)
      on conflict (identity) do update set owner_id = excluded.owner_id, scopes = excluded.scopes, name = excluded.name,
        created_at = excluded.created_at, revoked_at = null, last_used_at = null
      where c.revoked_at is not null
      returning owner_id as owner, identity as subject`;
  const table = { table: 'client_certificates', kind: 'client_certificate', id: 'identity' } as const;
  return {
    ...postgresCredentials(database, table),
    find: (identities) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const allowed = await em.find(entityOf(ClientCertificateEntity), {
          identity: { $in: [...identities] },
          revoked_at: null,
        });
        const byIdentity = new Map(allowed.map((certificate) => [certificate.identity, certificate]));
        const [first] = identities.flatMap((identity) => byIdentity.get(identity) ?? []);
        if (!first) return null;
        const { identity, owner_id: owner, scopes } = first;
        const actor = `certificate:${hash('sha256', identity).slice(0, CERTIFICATE_DIGITS)}`;
        return { identity, owner, scopes, actor };
      }),

    allow: (mapping, by) =>
      recorded(by, 'allow_client_certificate', async (executor) => {
        const { name = null, scopes } = mapping;
        return (await allow(executor, { ...mapping, name, scopes: jsonText(scopes) }))[0];
      }),
  };
}
