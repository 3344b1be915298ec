import { isUuid, type Owner } from '@orders/domain';
import type { OpenedPools } from '../database/opened-pools.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import { CERTIFICATE_DIGITS } from '../tables/client-certificate-entity.ts';

/** An operator or a credential by the actor of its changes. */
interface Named {
  readonly actor: string;
  readonly name: string | null;
}

/**
 * Returns a function that returns the names of the operators, and of the owner's API keys and client certificates, among the
 * actors of changes.
 */
export function actorNames({ orm, primary }: Pick<OpenedPools, 'orm' | 'primary'>) {
  type Actors = Readonly<Record<'operators' | 'prefixes' | 'digests', readonly string[]>>;
  // No index has the digests: certificates are read only if there is one.
  const find = prepare<Actors & { readonly owner: Owner }, Named>(orm)`
      select 'operator:' || o.id as actor, o.name from our.operators as o where o.id = any(${'operators'}::uuid[])
      union all
      select 'api_key:' || k.prefix as actor, k.name from our.api_keys as k
      where k.prefix = any(${'prefixes'}::text[]) and k.owner_id = ${'owner'}
      union all
      select 'certificate:' || d.digest as actor, c.name from our.client_certificates as c
      cross join lateral (
        select left(encode(sha256(convert_to(c.identity, 'UTF8')), 'hex'), ${sql.lit(CERTIFICATE_DIGITS)}) as digest
      ) as d
      where cardinality(${'digests'}::text[]) > 0 and c.owner_id = ${'owner'} and d.digest = any(${'digests'})`;
  return async (owner: Owner, changes: readonly { readonly actor: string | null }[]) => {
    const actors = new Set(changes.map(({ actor }) => actor ?? ''));
    const operators = [...actors].flatMap((actor) => idsAfter('operator:', actor).filter(isUuid));
    const prefixes = [...actors].flatMap((actor) => idsAfter('api_key:', actor));
    const digests = [...actors].flatMap((actor) => idsAfter('certificate:', actor));
    const isKnown = operators.length + prefixes.length + digests.length > 0;
    const found = isKnown ? await find(primary, { owner, operators, prefixes, digests }) : [];
    return new Map(found.map(({ actor, name }) => [actor, name]));
  };
}

function idsAfter(prefix: string, actor: string): readonly string[] {
  return actor.startsWith(prefix) ? [actor.slice(prefix.length)] : [];
}
