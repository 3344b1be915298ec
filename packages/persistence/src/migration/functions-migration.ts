import { createHash } from 'node:crypto';
import { KINDS } from '../aggregate-kinds.ts';
import { eventFunctions } from '../events/event-functions.ts';
import { numberEvents } from '../events/numbering-function.ts';
import type { Orm } from '../tables/orm.ts';
import type { DatabaseFunction } from '../sql/database-function.ts';
import { countEvents } from '../statistics/count-function.ts';
import { beginRecount, continueRecount } from '../statistics/recount-functions.ts';
import { findRange, sumFigures } from '../statistics/sum-functions.ts';
import { EXECUTE_BOUND } from '../sql/bound-statements.ts';
import { WEBHOOK_FUNCTIONS } from '../webhooks/queue-functions.ts';
import { writeFunctions } from '../writes/write-functions.ts';
import { FUNCTIONS_PREFIX, type Migration, MIGRATIONS } from './migrations-list.ts';

/**
 * Returns the migrations of this release: those of its files, then one that creates its functions. The last is
 * named by a digest of the functions, and leaves those of other releases, which may be running.
 *
 * @internal
 */
export function migrationsOf(orm: Orm): readonly Migration[] {
  const functions = functionsOf(orm);
  const steps = functions.flatMap((it) => [it.definition, ...(isOfOneOwner(it) ? [distributionIfTablesAre(it)] : [])]);
  const digest = createHash('sha256').update(steps.join(';')).digest('hex').slice(0, 16);
  const name = `${FUNCTIONS_PREFIX}${digest}`;
  return [...MIGRATIONS, { name, steps, isTransactional: true }];
}

/** Returns the statements that let Citus call the functions on the node of their owner. */
export function functionDistributions(orm: Orm): readonly string[] {
  return functionsOf(orm)
    .filter(isOfOneOwner)
    .flatMap((it) => [`select ${distributionOf(it)}`, customPlans(it)]);
}

/**
 * Returns the functions of this release, for orders of every definition. Those that differ in nothing are one.
 *
 * @internal
 */
export function functionsOf(orm: Orm): readonly DatabaseFunction[] {
  const writes = KINDS.flatMap(({ tables }) => tables.flatMap((table) => writeFunctions(orm, table).functions));
  const functions = [
    ...writes,
    ...KINDS.flatMap(({ functions = [] }) => functions),
    numberEvents,
    ...Object.values(eventFunctions()),
    ...Object.values(WEBHOOK_FUNCTIONS),
    countEvents,
    beginRecount,
    continueRecount,
    findRange,
    sumFigures,
    EXECUTE_BOUND,
  ];
  return [...new Map(functions.map((it) => [it.name, it])).values()];
}

/** Whether a function runs on the node of its owner, and not where its transaction was begun. */
function isOfOneOwner({ parameters }: DatabaseFunction): boolean {
  return 'owner_id' in parameters;
}

function distributionIfTablesAre(it: DatabaseFunction): string {
  return `do $$
    begin
      if to_regclass('pg_dist_partition') is not null then
        if exists (select from pg_dist_partition where logicalrelid = to_regclass('our.orders')) then
          perform ${distributionOf(it)};
          ${customPlans(it)};
        end if;
      end if;
    end
  $$`;
}

function distributionOf(it: DatabaseFunction): string {
  return `create_distributed_function('${signatureOf(it)}', 'p_owner_id', colocate_with => 'our.orders')`;
}

/**
 * Citus adds a plan of the shard to a generic plan at each execution, until the connection to the worker is closed:
 * 120 kB for each create, tried with 13.2.2. Custom plans are discarded.
 */
function customPlans(it: DatabaseFunction): string {
  return `alter function ${signatureOf(it)} set plan_cache_mode = 'force_custom_plan'`;
}

function signatureOf({ name, parameters }: DatabaseFunction): string {
  return `our.${name}(${Object.values(parameters).join(', ')})`;
}
