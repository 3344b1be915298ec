import { type RawBuilder, sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { prepare } from '../shared/statement.ts';

interface PrincipalRow {
  readonly owner_id: string;
  readonly scopes: readonly string[];
}

type ListedRow = PrincipalRow & {
  readonly identity: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
};

interface NewMapping {
  readonly identity: string;
  readonly owner_id: string;
  readonly scopes: string;
  readonly created_at: string;
}

interface Named {
  readonly identity: string;
}

export function clientCertificateStatements(orm: Orm) {
  const db = orm.em.getKysely();
  return {
    find: prepare<{ certificate: { identities: readonly string[] } }, PrincipalRow>(db, (p) => {
      const identities: RawBuilder<unknown> = sql`${p('certificate', 'identities')}::text[]`;
      return sql<PrincipalRow>`
        select owner_id, scopes from client_certificates
        where identity = any(${identities}) and revoked_at is null
        order by array_position(${identities}, identity) limit 1`;
    }),

    allow: prepare<{ mapping: NewMapping }, Named>(db, (p) =>
      db
        .insertInto('client_certificates')
        .values({
          identity: p('mapping', 'identity'),
          owner_id: p('mapping', 'owner_id'),
          scopes: sql`${p('mapping', 'scopes')}::json`,
          created_at: p('mapping', 'created_at'),
        })
        .onConflict((conflict) =>
          conflict
            .column('identity')
            .doUpdateSet((row) => ({
              owner_id: row.ref('excluded.owner_id'),
              scopes: row.ref('excluded.scopes'),
              created_at: row.ref('excluded.created_at'),
              revoked_at: row.ref('excluded.revoked_at'),
            }))
            .where('client_certificates.revoked_at', 'is not', null),
        )
        .returning('identity'),
    ),

    list: prepare<Record<never, never>, ListedRow>(db, () =>
      db
        .selectFrom('client_certificates')
        .select(['identity', 'owner_id', 'scopes', 'created_at', 'revoked_at'])
        .orderBy('created_at')
        .orderBy('identity'),
    ),

    revoke: prepare<{ mapping: Named & { readonly revoked_at: string } }, Named>(db, (p) =>
      db
        .updateTable('client_certificates')
        .set({ revoked_at: p('mapping', 'revoked_at') })
        .where('identity', '=', p('mapping', 'identity'))
        .where('revoked_at', 'is', null)
        .returning('identity'),
    ),
  };
}
