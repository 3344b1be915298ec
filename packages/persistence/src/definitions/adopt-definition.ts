import type { OrderDefinition } from '@orders/domain';
import { systemClock } from '@orders/domain/runtime';
import type { AdoptOptions } from '../database/database.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import { abortable } from '../postgres/abortable.ts';
import { inSchema } from '../tables/schema.ts';
import { countOrdersIn } from './count-orders-in.ts';
import { definitionDigest, type StoredDefinition } from '../tables/order-definition-entity.ts';
import { OrdersInRemovedStatuses } from './orders-in-removed-statuses.ts';
import { areRelated, UnrelatedDefinition } from './unrelated-definition.ts';

type AdoptingParts = Pick<OpenedPools, 'primary' | 'orm' | 'definition'>;

interface StoredRow {
  readonly digest: string;
  readonly definition: StoredDefinition;
}

const STORED = 'select digest, definition from our.order_definitions';

const REMOVE = 'delete from our.order_definitions where digest = $1';

const STORE = `insert into our.order_definitions (digest, definition, created_at) values ($1, $2::json, $3::timestamptz)
  on conflict (digest) do nothing`;

/**
 * Checks that no order has a status that the definition of these connections lacks, and stores the definition. Orders are
 * counted only if a stored definition has such a status. Writes nothing if the definition is stored.
 *
 * @throws {OrdersInRemovedStatuses} orders have such statuses
 * @throws {UnrelatedDefinition} every stored definition is for other orders
 * @internal
 */
export async function adoptDefinition(
  database: AdoptingParts,
  { log = () => undefined, signal = new AbortController().signal }: AdoptOptions = {},
): Promise<void> {
  const { primary, definition } = database;
  const statement = (text: string) => ({ text: inSchema(database.orm, text) });
  const stored = await abortable(signal, () => primary.execute<StoredRow>(statement(STORED), []));
  const earlier = new Set(stored.flatMap((row) => Object.keys(row.definition.lifecycle)));
  const removed = [...earlier].filter((status) => !Object.hasOwn(definition.lifecycle, status));
  if (removed.length > 0) {
    log(`the definition of orders lacks statuses of an earlier one: looking for orders in ${removed.join(', ')}`);
    const counts = await countOrdersIn(removed, database, signal);
    if (counts.size > 0) throw new OrdersInRemovedStatuses(counts);
  }
  const unrelated = findUnrelated(definition, stored);
  if (unrelated) throw new UnrelatedDefinition(definition, unrelated);
  const digest = definitionDigest(definition);
  if (stored.some((row) => row.digest === digest)) return;
  const { lifecycle, initial, cancel } = definition;
  const text = JSON.stringify({ lifecycle, initial, cancel } satisfies StoredDefinition);
  await abortable(signal, () => primary.execute(statement(STORE), [digest, text, systemClock.now().toISOString()]));
  // Another server may have stored one at the same time. Then each of them refuses, rather than neither.
  const others = await abortable(signal, () => primary.execute<StoredRow>(statement(STORED), []));
  const other = findUnrelated(
    definition,
    others.filter((row) => row.digest !== digest),
  );
  if (!other) return;
  await primary.execute(statement(REMOVE), [digest]);
  throw new UnrelatedDefinition(definition, other);
}

/** Returns a stored definition if none of them is for the same orders. */
function findUnrelated(definition: OrderDefinition, stored: readonly StoredRow[]): StoredDefinition | undefined {
  return stored.some((row) => areRelated(definition, row.definition)) ? undefined : stored[0]?.definition;
}
