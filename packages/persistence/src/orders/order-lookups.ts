import { EMAIL_LOOKUP, type FoundLookups, OWN_PREFIX } from '@orders/domain';
import { databaseFunction } from '../sql/database-function.ts';
import { arrayText } from '../sql/statement.ts';
import type { DependentRows } from '../writes/write-functions.ts';

/** The lookups of an order as the text of an array, whose elements are `NAME:VALUE`; null for a write that changes none. */
const LOOKUPS = { name: 'lookups', type: 'text' };

/** What `NAME:VALUE` is made of. No name has a colon. */
const PARTS = `split_part(f.lookup, ':', 1), substr(f.lookup, position(':' in f.lookup) + 1)`;

const INSERT = 'insert into our.order_lookups (owner_id, name, value, created_at, order_id)';

/** From the order, which is on their node: in a transaction, Citus would commit rows from elsewhere in two phases. */
const insertOne = `${INSERT}
        select o.owner_id, ${PARTS}, o.created_at, o.id from our.orders as o
        cross join unnest(p_lookups::text[]) as f (lookup) where o.owner_id = p_owner_id and o.id = p_id`;

/** The statements that leave an order the lookups of the parameter, and write only what differs. */
const SET_LOOKUPS = `delete from our.order_lookups as l
      where l.owner_id = p_owner_id and l.order_id = p_id and l.name || ':' || l.value <> all (p_lookups::text[]);
      ${insertOne} on conflict do nothing;`;

/** The lookups of orders, as rows that each write of an order changes with it. */
export const ORDER_LOOKUPS: DependentRows = {
  parameters: [LOOKUPS],
  onInsert: `if p_lookups is not null then
      ${insertOne};
    end if;`,
  onInsertAll: `if array_remove(p_lookups, null) <> '{}' then
      ${INSERT}
        select p_owner_id, ${PARTS}, r.created_at, r.id
        from unnest(p_lookups, p_created_at, p_id) as r (lookups, created_at, id)
        cross join lateral unnest(r.lookups::text[]) as f (lookup);
    end if;`,
  onUpdate: `if p_lookups is not null then
      ${SET_LOOKUPS}
    end if;`,
  // Those of another definition, too.
  onErase: `delete from our.order_lookups where owner_id = p_owner_id and order_id = p_id
      and (name = '${EMAIL_LOOKUP}' or starts_with(name, '${OWN_PREFIX}'));`,
  onDelete: 'delete from our.order_lookups where owner_id = p_owner_id and order_id = p_id;',
};

/**
 * Gives an order the lookups of a version, unless it has another one. A write of the order waits for this, and this for the
 * write. It holds no other lock, so that no transaction of a host that changes several orders waits for it in a circle.
 */
export const setLookups = databaseFunction('order_lookups_set', {
  parameters: { owner_id: 'text', id: 'uuid', version: 'int', lookups: 'text' },
  returns: 'text',
  body: `begin
    perform from our.orders where owner_id = p_owner_id and id = p_id and version = p_version for share;
    if not found then
      return 'stale';
    end if;
    ${SET_LOOKUPS}
    return 'written';
  end`,
});

/** Returns lookups as the parameter of a write. */
export function lookupsText({ lookups }: FoundLookups): string {
  return arrayText(lookups.map(([name, value]) => `${name}:${value}`));
}
