import { parse } from 'libpg-query';
import { tenantTables } from '../../src/migration/distribute.ts';

/** The tables whose rows belong to an owner. */
const TENANT_TABLES = tenantTables();

/** Functions that produce values in the database instead of the program, or work on one server only. */
const FORBIDDEN_FUNCTIONS =
  /^(now|.*_timestamp|timeofday|random|gen_random_uuid|uuidv[47]|nextval|currval|setval|pg_(try_)?advisory_.*|pg_notify)$/;

/** A node of the syntax tree that PostgreSQL's own parser returns. */
export type Part = Readonly<Record<string, unknown>>;

/**
 * Returns the reasons why a statement cannot be sent to one owner's shard, as sentences.
 *
 * @param variables the names that stand for `$1`, `$2` and so on, in a statement of a function; default: none
 * @param mayReadAcross whether it may read of several owners within a limit, as operators do; default: false
 */
export async function statementBreaches(
  text: string,
  variables: readonly string[] = [],
  mayReadAcross = false,
): Promise<readonly string[]> {
  const parts = await partsOf(text, variables);
  const limited = new Set(mayReadAcross ? parts.filter((part) => isPart(part['limitCount'])).flatMap(everyPart) : []);
  const named = (type: string) => partsNamed(parts, type);
  const [updates, deletes, inserts] = [named('UpdateStmt'), named('DeleteStmt'), insertsIn(parts)];
  const selects = parts.filter(
    (part) => Array.isArray(part['fromClause']) && !updates.includes(part) && !limited.has(part),
  );
  const unbound = [
    ...selects.flatMap((select) => unboundTables([select['fromClause']], select['whereClause'])),
    ...updates.flatMap((update) =>
      unboundTables([{ RangeVar: update['relation'] }, update['fromClause']], update['whereClause']),
    ),
    ...deletes.flatMap((remove) =>
      unboundTables([{ RangeVar: remove['relation'] }, remove['usingClause']], remove['whereClause']),
    ),
  ];
  const assigned = [...updates, ...named('OnConflictClause'), ...inserts.map((insert) => insert['onConflictClause'])];
  const called = named('FuncCall').map((call) => lastName(call['funcname']));
  return [
    ...new Set([
      ...unbound.map((table) => `${table} is not bound to the owner by a parameter`),
      ...inserts
        .filter((insert) => !insertsForOwner(insert))
        .map((insert) => `${tableOf(insert)} is filled for no owner`),
      ...assigned
        .filter((part) => isPart(part) && assigns(part, 'owner_id'))
        .map(() => 'the owner of a row is changed'),
      ...called.filter((name) => FORBIDDEN_FUNCTIONS.test(name)).map((name) => `${name}() is called`),
      ...named('SQLValueFunction').map(() => 'the time is taken from the database'),
      ...['ListenStmt', 'NotifyStmt'].filter((type) => named(type).length > 0).map((type) => `it is a ${type}`),
      ...(ownerParameters(parts, inserts).size > 1 ? ['the owner comes by several parameters'] : []),
    ]),
  ];
}

function insertsIn(parts: readonly Part[]): readonly Part[] {
  return partsNamed(parts, 'InsertStmt');
}

function partsNamed(parts: readonly Part[], type: string): readonly Part[] {
  return parts.flatMap((part) => (isPart(part[type]) ? [part[type]] : []));
}

/** Returns the tenant tables among `sources` whose owner neither the condition nor a join sets equal to a parameter. */
function unboundTables(sources: readonly unknown[], condition: unknown): readonly string[] {
  const tables: { readonly name: string; readonly alias: string }[] = [];
  const conditions: unknown[] = [condition];
  const visit = (source: unknown): void => {
    if (Array.isArray(source)) {
      for (const one of source) visit(one);
      return;
    }
    if (!isPart(source)) return;
    const { RangeVar: table, JoinExpr: join } = source;
    if (isPart(table)) tables.push({ name: text(table['relname']), alias: aliasOf(table) });
    if (!isPart(join)) return;
    conditions.push(join['quals']);
    visit(join['larg']);
    visit(join['rarg']);
  };
  visit(sources);
  const bound = new Set(conditions.flatMap(conjuncts).flatMap(ownerBound));
  return tables
    .filter(({ name }) => TENANT_TABLES.includes(name))
    .filter(({ alias }) => !bound.has(alias) && !(tables.length === 1 && bound.has('')))
    .map(({ name }) => name);
}

/** Returns the parts of a condition that must all hold. */
function conjuncts(condition: unknown): readonly Part[] {
  if (!isPart(condition)) return [];
  const { BoolExpr: bool } = condition;
  if (!isPart(bool)) return [condition];
  return bool['boolop'] === 'AND_EXPR' && Array.isArray(bool['args']) ? bool['args'].flatMap(conjuncts) : [];
}

/**
 * Returns the alias whose `owner_id` a condition sets equal to a parameter; an empty string for a column without one.
 */
function ownerBound({ A_Expr: comparison }: Part): readonly string[] {
  if (!isPart(comparison) || lastName(comparison['name']) !== '=') return [];
  const sides = [comparison['lexpr'], comparison['rexpr']].map(uncast);
  const [column] = sides.flatMap((side) => (isPart(side['ColumnRef']) ? [side['ColumnRef']] : []));
  if (!column || lastName(column['fields']) !== 'owner_id' || !sides.some((side) => 'ParamRef' in side)) return [];
  const fields = Array.isArray(column['fields']) ? column['fields'] : [];
  return [fields.length > 1 ? lastName(fields.slice(0, 1)) : ''];
}

/** Returns whether each row of an insert has an owner, set by a parameter; true for tables without owners. */
function insertsForOwner(insert: Part): boolean {
  if (!TENANT_TABLES.includes(tableOf(insert))) return true;
  const owners = insertedOwners(insert);
  // The owner of a table that is read is bound, as every one.
  const isOwner = ({ ParamRef: given, ColumnRef: column }: Part) =>
    given !== undefined || (isPart(column) && lastName(column['fields']) === 'owner_id');
  return owners.length > 0 && owners.every(isOwner);
}

/** Returns the expressions that an insert stores as owners. */
function insertedOwners(insert: Part): readonly Part[] {
  const columns = Array.isArray(insert['cols']) ? insert['cols'].map(targetOf) : [];
  const place = columns.findIndex((column) => column['name'] === 'owner_id');
  const source = isPart(insert['selectStmt']) ? insert['selectStmt']['SelectStmt'] : undefined;
  if (!isPart(source) || place < 0) return [];
  const { valuesLists: lists, targetList: targets } = source;
  if (Array.isArray(lists)) return lists.map((list) => uncast(elementsOf(list)[place]));
  return Array.isArray(targets) ? [uncast(targetOf(targets[place])['val'])] : [];
}

/** Returns the elements of a row of values. */
function elementsOf(list: unknown): readonly unknown[] {
  const items: unknown = isPart(list) && isPart(list['List']) ? list['List']['items'] : undefined;
  return Array.isArray(items) ? items : [];
}

/** Returns the numbers of the parameters that owners are compared with, or that an insert stores as owners. */
function ownerParameters(parts: readonly Part[], inserts: readonly Part[]): ReadonlySet<number> {
  const bound = parts.filter((part) => ownerBound(part).length > 0);
  const sides = bound.flatMap(({ A_Expr: it }) => (isPart(it) ? [uncast(it['lexpr']), uncast(it['rexpr'])] : []));
  return new Set([...sides, ...inserts.flatMap(insertedOwners)].flatMap(parameterNumber));
}

/** Returns the numbers of the parameters that a statement uses as owners. */
export async function ownerNumbers(text: string, variables: readonly string[]): Promise<readonly number[]> {
  const parts = await partsOf(text, variables);
  return [...ownerParameters(parts, insertsIn(parts))];
}

/** Returns the positions of the parameters that a statement compares with columns, from 0. */
export async function comparedParameters(text: string, variables: readonly string[] = []): Promise<readonly number[]> {
  const comparisons = (await partsOf(text, variables)).flatMap(({ A_Expr: it }) => (isPart(it) ? [it] : []));
  return comparisons
    .map(({ lexpr, rexpr }) => [uncast(lexpr), uncast(rexpr)])
    .filter((sides) => sides.some((side) => 'ColumnRef' in side))
    .flat()
    .flatMap(parameterNumber)
    .map((number) => number - 1);
}

function parameterNumber({ ParamRef: parameter }: Part): readonly number[] {
  return isPart(parameter) ? [Number(parameter['number'])] : [];
}

/** Parses a statement, in which each of `variables` becomes the parameter of its position. */
async function partsOf(text: string, variables: readonly string[]): Promise<readonly Part[]> {
  const parsed = JSON.stringify(await parse(text), (_, value: unknown) => {
    const reference = isPart(value) ? value['ColumnRef'] : undefined;
    const fields = isPart(reference) && Array.isArray(reference['fields']) ? reference['fields'] : [];
    const number = fields.length === 1 ? variables.indexOf(lastName(fields)) + 1 : 0;
    return number > 0 ? { ParamRef: { number } } : value;
  });
  return everyPart(JSON.parse(parsed));
}

function assigns(part: Part, column: string): boolean {
  return Array.isArray(part['targetList']) && part['targetList'].some((target) => targetOf(target)['name'] === column);
}

function tableOf(statement: Part): string {
  return isPart(statement['relation']) ? text(statement['relation']['relname']) : '';
}

function aliasOf(table: Part): string {
  return isPart(table['alias']) ? text(table['alias']['aliasname']) : text(table['relname']);
}

function targetOf(target: unknown): Part {
  return isPart(target) && isPart(target['ResTarget']) ? target['ResTarget'] : {};
}

function uncast(value: unknown): Part {
  if (!isPart(value)) return {};
  return isPart(value['TypeCast']) ? uncast(value['TypeCast']['arg']) : value;
}

function lastName(names: unknown): string {
  const last: unknown = Array.isArray(names) ? names.at(-1) : undefined;
  return isPart(last) && isPart(last['String']) ? text(last['String']['sval']) : '';
}

/** Returns every node of a syntax tree, the outer ones first. */
export function everyPart(value: unknown): readonly Part[] {
  if (Array.isArray(value)) return value.flatMap(everyPart);
  return isPart(value) ? [value, ...Object.values(value).flatMap(everyPart)] : [];
}

export function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
