import { isPlainObject } from '../../shared/validation.ts';
import { RESERVED_STATUSES, STATUS_REQUIRED } from './order-definition.ts';

/** Maximum number of statuses of a definition. */
export const ORDER_STATUSES_MAX = 40;

const NAME = /^[a-z][a-z0-9_]{0,29}$/;

/** One fault of a definition. */
export interface DefinitionFault {
  /** The names and indexes of the members that lead to the faulty one, such as `lifecycle`, `baking` and `0`. */
  readonly path: readonly string[];
  readonly message: string;
}

/** The parts of a definition, of any type, as those of a parsed file are. */
interface UntypedDefinition {
  readonly lifecycle?: unknown;
  readonly initial?: unknown;
  readonly cancel?: unknown;
  readonly custom?: unknown;
  readonly requires?: unknown;
  readonly refusals?: unknown;
  readonly guards?: unknown;
}

/** Adds a fault of the member at `path`. */
type AddFault = (message: string, ...path: readonly string[]) => void;

/**
 * Returns every fault of a definition that was not written in TypeScript, such as that of a file. {@link defineOrders}
 * accepts a definition without faults.
 */
export function findDefinitionFaults(definition: UntypedDefinition): readonly DefinitionFault[] {
  const faults: DefinitionFault[] = [];
  const add: AddFault = (message, ...path) => faults.push({ path, message });
  const { lifecycle, custom = null } = definition;
  if (isPlainObject(lifecycle)) addFaultsOfLifecycle(lifecycle, definition, add);
  else add('lifecycle must be an object', 'lifecycle');
  addFaultsOfGuards(definition, add);
  if (custom === null) return faults;
  if (!isPlainObject(custom) || typeof custom['parse'] !== 'function' || !isPlainObject(custom['schema']))
    add('custom must have a function parse and an object schema', 'custom');
  return faults;
}

/**
 * Throws unless a definition has no fault.
 *
 * @throws {TypeError} the message names the first fault
 */
export function assertDefinition(definition: UntypedDefinition): void {
  for (const { message } of findDefinitionFaults(definition)) throw new TypeError(`defineOrders: ${message}`);
}

function addFaultsOfLifecycle(
  lifecycle: Readonly<Record<string, unknown>>,
  { initial, cancel, requires }: UntypedDefinition,
  add: AddFault,
): void {
  const path = 'lifecycle';
  const rows = new Map<unknown, unknown>(Object.entries(lifecycle));
  if (rows.size === 0 || rows.size > ORDER_STATUSES_MAX)
    add(`lifecycle must have 1 to ${ORDER_STATUSES_MAX} statuses, got ${rows.size}`, path);
  for (const [status, targets] of Object.entries(lifecycle))
    addFaultsOfStatus(status, targets, rows, (message, ...place) =>
      add(`the status "${status}" ${message}`, path, status, ...place),
    );
  if (![...rows.values()].some((targets) => toArray(targets).length === 0)) add('no status is terminal', path);
  for (const [role, status] of Object.entries({ initial, cancel }))
    if (!rows.has(status)) add(`the ${role} status "${String(status)}" is unknown`, role);
  for (const [status, required] of membersOf(requires, 'requires', add))
    if (!Array.isArray(required) || ![status, ...toArray(required)].every((each) => rows.has(each)))
      add(`the status "${status}" and those it requires must be known`, 'requires', status);
  // Without a known initial status, no status is reachable.
  if (!rows.has(initial)) return;
  // A set is iterated over the elements that are added meanwhile, too.
  const reached = new Set([initial]);
  for (const status of reached) for (const target of toArray(rows.get(status))) reached.add(target);
  for (const status of Object.keys(lifecycle))
    if (!reached.has(status))
      add(`no transitions lead from "${String(initial)}" to the status "${status}"`, path, status);
  if (cancel === initial && rows.size > 1)
    add(`the cancel status "${String(cancel)}" must not be the initial one`, 'cancel');
}

function addFaultsOfStatus(status: string, targets: unknown, rows: ReadonlyMap<unknown, unknown>, add: AddFault): void {
  if (!NAME.test(status)) add('must be 1 to 30 of a-z, 0-9 and _, the first a letter');
  if (RESERVED_STATUSES.some((name) => name === status)) add('has a reserved name');
  if (!Array.isArray(targets)) add('must have an array of statuses');
  for (const [index, target] of toArray(targets).entries()) {
    if (!rows.has(target)) add(`leads to "${String(target)}", which is unknown`, `${index}`);
    else if (target === status) add('leads to itself', `${index}`);
    else if (toArray(targets).indexOf(target) < index) add('leads to another one twice', `${index}`);
  }
}

/** Statuses that are required are checked with the statuses themselves. */
function addFaultsOfGuards({ refusals, guards }: UntypedDefinition, add: AddFault): void {
  for (const [code, sentence] of membersOf(refusals, 'refusals', add))
    if (typeof sentence !== 'string' || sentence === '' || code === STATUS_REQUIRED)
      add(`the refusal "${code}" must be a sentence`, 'refusals', code);
  for (const [name, guard] of membersOf(guards, 'guards', add))
    for (const [each, run] of name === 'enter' ? membersOf(guard, name, add) : ([[name, guard]] as const))
      if (run !== undefined && typeof run !== 'function') add(`the guard "${each}" must be a function`, 'guards', each);
}

/** Returns the members of a member of a definition, and adds that it is no object. */
function membersOf(value: unknown, name: string, add: AddFault): readonly (readonly [string, unknown])[] {
  if (isPlainObject(value)) return Object.entries(value);
  if (value !== undefined) add(`${name} must be an object`, name);
  return [];
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
