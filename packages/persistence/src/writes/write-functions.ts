import type { AggregateKind, Owner } from '@orders/domain';
import { ChangeEntity } from '../tables/change-entity.ts';
import { IdempotencyEntity } from '../tables/idempotency-entity.ts';
import type { Entity } from '../tables/entity.ts';
import type { Orm } from '../tables/orm.ts';
import { erasedColumns, eraseReasons } from '../tables/personal-data.ts';
import { type Column, columnsOf } from '../sql/columns.ts';
import { callOf, databaseFunction, type FunctionParameters, PLANNED_ONCE } from '../sql/database-function.ts';

/** The values of some columns, by name. */
export type ColumnValues = Readonly<Record<string, string | number | null>>;

/** The aggregate that a write changes. */
export interface Target {
  readonly owner_id: Owner;
  readonly id: string;
}

/** The values of a write, by parameter: of the row, the change record and the idempotency record. */
export type WriteValues = ColumnValues & { readonly owner_id: Owner; readonly id: string };

/**
 * The result of a write function: everything was `written`, or nothing because the loaded version is `stale`, or because the
 * `id_taken` has other versions, those of a deleted aggregate.
 */
export type Outcome = 'written' | 'stale' | 'id_taken';

/** What a create may conflict with. */
export interface FoundConflict {
  readonly is_key_used: true | null;
  readonly is_id_taken: true | null;
  /** Id of the row that has its unique value. */
  readonly holder: string | null;
  /** The row that it refers to, if it exists. */
  readonly referred: { readonly erased_at: string | null } | null;
}

/** The table of one kind of aggregate. */
export interface AggregateTable {
  readonly of: AggregateKind;
  readonly table: string;
  readonly entity: Entity;
  /** Columns that are never updated. */
  readonly fixed: readonly string[];
  /** Columns that are neither inserted nor updated. Default: none. */
  readonly untouched?: readonly string[];
  /** Columns that an update with null keeps. Default: none. */
  readonly kept?: readonly string[];
  /** The JSON columns that a deletion moves to its change record, because the snapshots of the versions lack them. */
  readonly moved?: readonly string[];
  /** Whether a deletion erases the snapshots of all versions, because they are personal data. */
  readonly erases: boolean;
  /** What a change that erases makes of the earlier snapshots. Default: no change erases. */
  readonly erasure?: 'erases snapshots' | 'keeps what is not personal';
  /** The constraints that concurrent writes violate, besides primary keys. */
  readonly constraints: readonly string[];
  /** Another row that a create or change refers to. Default: none. */
  readonly reference?: CheckedReference;
  /** What is checked of a deleted row. Default: nothing. */
  readonly deletion?: CheckedDeletion;
  /** Rows of another table that follow from a row. Default: none. */
  readonly dependents?: DependentRows;
  /** A column of text that is unique among the rows of an owner. Default: none. */
  readonly unique?: string;
  /** Whether rows are created one by one, because each needs room among the others. Default: false. */
  readonly needsRoom?: boolean;
}

/** A reference that no foreign key can check as a whole. The checks are statements in PL/pgSQL. */
interface CheckedReference {
  /** A parameter besides the columns. */
  readonly parameter: Column;
  readonly onInsert: string;
  readonly onInsertAll: string;
  readonly onUpdate: string;
  /** The column that refers to the row. */
  readonly column: string;
  /** The SQL expression for the row that a create `r` refers to, as {@link FoundConflict} has it. */
  readonly found: string;
}

/** The statements in PL/pgSQL that write rows of another table together with a row. */
export interface DependentRows {
  /** The parameters of creates and changes. */
  readonly parameters: readonly Column[];
  readonly onInsert: string;
  readonly onInsertAll: string;
  readonly onUpdate: string;
  /** With the update of a change that erases. */
  readonly onErase: string;
  readonly onDelete: string;
}

/** The check of a deleted row, a statement in PL/pgSQL. */
interface CheckedDeletion {
  /** A condition on the row. */
  readonly condition: string;
  /** The variable that has its value in the check. */
  readonly variable: string;
  readonly check: string;
}

/** The columns of change and idempotency records that all writes of one kind set alike. A write gives no position. */
const OF_THE_KIND = ['aggregate', 'aggregate_id', 'items', 'adjustments', 'fulfillments', 'position'];

const ID = { name: 'id', type: 'uuid' };
const VERSION = { name: 'version', type: 'int' };

/** The parameters that name the version which a change or deletion replaces. */
const LOADED = { owner_id: 'text', id: 'uuid', loaded_version: 'int' };

const NO_SNAPSHOT = new Map([['snapshot', 'null']]);

/** Leaves a function that has found no row of the loaded version. */
const RETURN_IF_STALE = `if not found then
      return 'stale';
    end if;`;

/**
 * Returns the functions that write one kind of aggregate. Each writes the row, the change record and the idempotency
 * record, or nothing. It is one command, which one node of a cluster executes and commits alone.
 */
export function writeFunctions(orm: Orm, table: AggregateTable) {
  const records = recordsOf(table);
  const given = [ID, ...records.row, ...records.guard, ...records.dependent, ...records.change, ...records.key];
  const insert = insertFunction(table, records, given);
  const { insertAll, conflicts } = table.needsRoom ? {} : batchFunctions(table, records, given);
  const { update, erase } = changeFunctions(table, records);
  const remove = deleteFunction(table, records);
  return {
    functions: [insert, insertAll, conflicts, update, remove, erase].flatMap((each) => each ?? []),
    statements: {
      insert: callOf<Outcome>(orm, insert),
      insertAll: insertAll && callOf<Outcome | 'key_used'>(orm, insertAll),
      conflicts: conflicts && callOf<readonly FoundConflict[]>(orm, conflicts),
      update: callOf<Outcome>(orm, update),
      erase: erase && callOf<Outcome>(orm, erase),
      delete: callOf<Outcome>(orm, remove),
    },
    /** Returns the values of creates by column, for `insertAll`. */
    byColumn: (creates: readonly ColumnValues[]) =>
      Object.fromEntries(given.map(({ name }) => [name, creates.map((create) => create[name] ?? null)])),
  };
}

/** Returns the columns that the functions of a kind write, and the statements that all of them have. */
function recordsOf({ of: { name: aggregate }, entity, untouched = [], reference, dependents }: AggregateTable) {
  const recordColumns = (record: Entity) => columnsOf(record).filter(({ name }) => !OF_THE_KIND.includes(name));
  const change = recordColumns(ChangeEntity);
  const key = recordColumns(IdempotencyEntity);
  const isVersion = `owner_id = p_owner_id and aggregate = '${aggregate}' and aggregate_id = p_id`;
  return {
    row: columnsOf(entity).filter(({ name }) => name !== 'id' && !untouched.includes(name)),
    guard: reference ? [reference.parameter] : [],
    dependent: dependents?.parameters ?? [],
    change,
    key,
    isVersion,

    recordChange: `insert into our.changes (owner_id, aggregate, aggregate_id, ${names(change)})
    values (p_owner_id, '${aggregate}', p_id, ${values(change)});`,

    // Each function records the key last. A transaction that holds a key then waits for nothing else, so that no two wait
    // for each other because of it. A used key violates the primary key, which rolls the write back.
    recordKey: `if p_key <> '' then
      insert into our.idempotency (owner_id, aggregate, aggregate_id, ${names(key)})
      values (p_owner_id, '${aggregate}', p_id, ${values(key)});
    end if;`,

    // Every statement that locks several change records locks them in this order, which rules out deadlocks.
    eraseVersions: (
      erased: ReadonlyMap<string, string>,
    ) => `perform from our.changes where ${isVersion} order by occurred_at, version for update;
    update our.changes set ${assignments(erased)} where ${isVersion};
    ${eraseReasons('a.owner_id = p_owner_id and a.subject = p_id::text')};`,
  };
}

type Records = ReturnType<typeof recordsOf>;

function insertFunction(
  { of: { name: aggregate }, table, reference, dependents }: AggregateTable,
  { row, isVersion, recordChange, recordKey }: Records,
  given: readonly Column[],
) {
  return databaseFunction(`${aggregate}_insert`, {
    parameters: { owner_id: 'text', ...parametersOf(given) },
    returns: 'text',
    // Version 1 of a deleted aggregate violates a primary key. An import at another version does not. PL/pgSQL executes a
    // condition with a query as a statement, whatever is before it in the condition, so that the query has its own.
    body: `begin
    if p_version > 1 then
      if exists (select from our.changes where ${isVersion}) then
        return 'id_taken';
      end if;
    end if;
    insert into our.${table} (owner_id, id, ${names(row)}) values (p_owner_id, p_id, ${values(row)});
    ${reference?.onInsert ?? ''}
    ${dependents?.onInsert ?? ''}
    ${recordChange}
    ${recordKey}
    return 'written';
  end`,
  });
}

/** Returns the functions for several creates of an owner, whose parameters are arrays. */
function batchFunctions(
  { of: { name: aggregate }, table, reference, dependents, unique }: AggregateTable,
  { row, change, key }: Records,
  given: readonly Column[],
) {
  const compared = given.filter(({ name }) => ['id', 'key', unique, reference?.column].includes(name));
  return {
    insertAll: databaseFunction(`${aggregate}_insert_all`, {
      parameters: { owner_id: 'text', ...arraysOf(given) },
      returns: 'text',
      settings: PLANNED_ONCE,
      // A batch that is repeated has its first key already, and inserts nothing.
      body: `begin
    if exists (select from our.idempotency as k where k.owner_id = p_owner_id and k.key = p_key[1]) then
      return 'key_used';
    end if;
    if exists (
      select from ${rowsOf([ID, VERSION])}
      where r.version > 1 and ${found('true', 'changes', `c.aggregate = '${aggregate}' and c.aggregate_id = r.id`)}
    ) then
      return 'id_taken';
    end if;
    insert into our.${table} (owner_id, id, ${names(row)}) select p_owner_id, r.* from ${rowsOf([ID, ...row])};
    ${reference?.onInsertAll ?? ''}
    ${dependents?.onInsertAll ?? ''}
    insert into our.changes (owner_id, aggregate, aggregate_id, ${names(change)})
      select p_owner_id, '${aggregate}', r.* from ${rowsOf([ID, ...change])};
    insert into our.idempotency (owner_id, aggregate, aggregate_id, ${names(key)})
      select p_owner_id, '${aggregate}', r.* from ${rowsOf([ID, ...key])} where r.key <> '' order by r.key;
    return 'written';
  end`,
    }),

    conflicts: databaseFunction(`${aggregate}_conflicts`, {
      parameters: { owner_id: 'text', ...arraysOf(compared) },
      returns: 'json',
      settings: PLANNED_ONCE,
      body: `begin
    return (
      select json_agg(json_build_object(
        'is_key_used', ${found('true', 'idempotency', 'c.key = r.key')},
        'is_id_taken', ${found('true', 'changes', `c.aggregate = '${aggregate}' and c.aggregate_id = r.id`)},
        'holder', ${unique ? found('c.id', table, `c.${unique} = r.${unique} collate "C"`) : 'null'},
        'referred', ${reference?.found ?? 'null'}
      ) order by r.place)
      from unnest(${values(compared)}) with ordinality as r (${names(compared)}, place)
    );
  end`,
    }),
  };
}

function changeFunctions(
  { of: { name: aggregate }, table, fixed, kept = [], erasure, reference, dependents }: AggregateTable,
  { row, guard, dependent, change, key, recordChange, recordKey, eraseVersions }: Records,
) {
  const mutable = row.filter(({ name }) => !fixed.includes(name));
  const updates = mutable.map(({ name }): [string, string] => [
    name,
    kept.includes(name) ? `coalesce(p_${name}, ${name})` : `p_${name}`,
  ]);
  const updateRow = (set: Iterable<readonly [string, string]>) => `update our.${table}
    set ${assignments(set)}
    where owner_id = p_owner_id and id = p_id and version = p_loaded_version;`;
  return {
    update: databaseFunction(`${aggregate}_update`, {
      parameters: { ...LOADED, ...parametersOf([...mutable, ...guard, ...dependent, ...change, ...key]) },
      returns: 'text',
      body: `begin
    ${updateRow(updates)}
    ${RETURN_IF_STALE}
    ${reference?.onUpdate ?? ''}
    ${dependents?.onUpdate ?? ''}
    ${recordChange}
    ${recordKey}
    return 'written';
  end`,
    }),

    erase:
      erasure &&
      databaseFunction(`${aggregate}_erase`, {
        parameters: { ...LOADED, ...parametersOf([...mutable, ...change, ...key]) },
        returns: 'text',
        // The row may have values of servers with another definition, which this one does not read.
        body: `begin
    ${updateRow(new Map([...updates, ...erasedColumns(table, table)]))}
    ${RETURN_IF_STALE}
    ${dependents?.onErase ?? ''}
    ${eraseVersions(new Map([...erasedColumns('changes', 'changes'), ...(erasure === 'erases snapshots' ? NO_SNAPSHOT : [])]))}
    ${recordChange}
    ${recordKey}
    return 'written';
  end`,
      }),
  };
}

function deleteFunction(
  { of: { name: aggregate }, table, moved = [], erases, deletion, dependents }: AggregateTable,
  { change, key, recordKey, eraseVersions }: Records,
) {
  const returned = deletion ? [deletion.condition] : moved;
  const variables = deletion ? [deletion.variable] : moved.map((name) => `moved_${name}`);
  return databaseFunction(`${aggregate}_delete`, {
    parameters: { ...LOADED, ...parametersOf([...change, ...key]) },
    returns: 'text',
    body: `declare
    ${variables.map((name) => `${name} ${deletion ? 'boolean' : 'json'};`).join(' ')}
  begin
    delete from our.${table}
    where owner_id = p_owner_id and id = p_id and version = p_loaded_version${returned.length > 0 ? ` returning ${returned.join(', ')} into ${variables.join(', ')}` : ''};
    ${RETURN_IF_STALE}
    ${deletion?.check ?? ''}
    ${dependents?.onDelete ?? ''}
    ${erases ? eraseVersions(NO_SNAPSHOT) : ''}
    insert into our.changes (${['owner_id, aggregate, aggregate_id', names(change), ...moved].join(', ')})
    values (${[`p_owner_id, '${aggregate}', p_id`, values(change), ...moved.map((name) => `moved_${name}`)].join(', ')});
    ${recordKey}
    return 'written';
  end`,
  });
}

/** Returns the statement that violates a constraint which no foreign key can state. */
export function raise(constraint: string, reason: string): string {
  return `raise foreign_key_violation using message = '${reason}, which violates the constraint "${constraint}"', constraint = '${constraint}';`;
}

/** Returns the rows `r` of creates, whose columns are arrays. */
export function rowsOf(columns: readonly Column[]): string {
  return `unnest(${values(columns)}) as r (${names(columns)})`;
}

/**
 * Returns the SQL expression for one row `c` of the owner in another table. It is a subquery that is no join: as a join,
 * planned while there are few rows, all of the owner would be read.
 */
export function found(what: string, table: string, condition: string): string {
  return `(select ${what} from our.${table} as c where c.owner_id = p_owner_id and ${condition} limit 1)`;
}

function names(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}

function assignments(columns: Iterable<readonly [string, string]>): string {
  return Array.from(columns, ([name, value]) => `${name} = ${value}`).join(', ');
}

function values(columns: readonly Column[]): string {
  return columns.map(({ name }) => `p_${name}`).join(', ');
}

/** The row, its change and its key have the same version, which is one parameter. */
function parametersOf(columns: readonly Column[]): FunctionParameters {
  return Object.fromEntries(columns.map(({ name, type }) => [name, type]));
}

function arraysOf(columns: readonly Column[]): FunctionParameters {
  return parametersOf(columns.map(({ name, type }) => ({ name, type: `${type}[]` })));
}
