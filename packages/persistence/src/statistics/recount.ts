import type { Owner } from '@orders/domain';
import type { OrdersDatabase } from '../database/database.ts';
import { callOf } from '../sql/database-function.ts';
import { type Counted, countEvents } from './count-function.ts';
import { RECOUNT } from './figures-sql.ts';
import { beginRecount, continueRecount, type RecountStep } from './recount-functions.ts';

/** Returns how to count the orders of an owner again, in steps that several processes may do. */
export function recountOf({ orm, primary }: Pick<OrdersDatabase, 'orm' | 'primary'>) {
  const beginning = callOf<boolean>(orm, beginRecount);
  const continuing = callOf<RecountStep>(orm, continueRecount);
  const counting = callOf<Counted>(orm, countEvents);
  const begin = async (owner: Owner, restarts: boolean): Promise<void> => {
    await beginning(primary, { owner_id: owner, restarts: String(restarts) });
  };
  return {
    /** Begins to, unless it is under way. */
    begin: (owner: Owner) => begin(owner, false),

    /** Does the next step. */
    step: async (owner: Owner): Promise<RecountStep> => {
      const [row] = await continuing(primary, { owner_id: owner });
      if (row?.outcome === 'behind') {
        const [counted] = await counting(primary, { owner_id: owner, name: RECOUNT });
        if (counted?.outcome.is_lost) await begin(owner, true);
      }
      return row?.outcome ?? 'none';
    },
  };
}
