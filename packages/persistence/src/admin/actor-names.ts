import { isUuid, type Owner } from '@orders/domain';
import type { OpenedPools } from '../database/opened-pools.ts';
import { prepare } from '../sql/statement.ts';

/** An operator or an API key by the actor of its changes. */
interface Named {
  readonly actor: string;
  readonly name: string | null;
}

/** Returns a function that returns the names of the operators and API keys among the actors of changes. */
export function actorNames({ orm, primary }: Pick<OpenedPools, 'orm' | 'primary'>) {
  const find = prepare<{ owner: Owner; operators: readonly string[]; prefixes: readonly string[] }, Named>(orm)`
      select 'operator:' || o.id as actor, o.name from our.operators as o where o.id = any(${'operators'}::uuid[])
      union all
      select 'api_key:' || k.prefix as actor, k.name from our.api_keys as k
      where k.prefix = any(${'prefixes'}::text[]) and k.owner_id = ${'owner'}`;
  return async (owner: Owner, changes: readonly { readonly actor: string | null }[]) => {
    const actors = new Set(changes.map(({ actor }) => actor ?? ''));
    const operators = [...actors].flatMap((actor) => idsAfter('operator:', actor).filter(isUuid));
    const prefixes = [...actors].flatMap((actor) => idsAfter('api_key:', actor));
    const isKnown = operators.length + prefixes.length > 0;
    const found = isKnown ? await find(primary, { owner, operators, prefixes }) : [];
    return new Map(found.map(({ actor, name }) => [actor, name]));
  };
}

function idsAfter(prefix: string, actor: string): readonly string[] {
  return actor.startsWith(prefix) ? [actor.slice(prefix.length)] : [];
}
