import { isPlainObject } from '../../shared/validation.ts';
import { RESERVED_STATUSES, STATUS_REQUIRED } from './order-definition.ts';

/** Maximum number of statuses of a definition. */
export const ORDER_STATUSES_MAX = 40;
/** Maximum number of lookups of a definition, and of those that it finds in the custom data of an order, of all names. */
export const OWN_LOOKUPS_MAX = 38;

const NAME = /^[a-z][a-z0-9_]{0,29}$/;

/** The parts of a definition, of any type, as those of a program in JavaScript are. */
interface UntypedDefinition {
  readonly lifecycle?: unknown;
  readonly initial?: unknown;
  readonly cancel?: unknown;
  readonly custom?: unknown;
  readonly requires?: unknown;
  readonly refusals?: unknown;
  readonly guards?: unknown;
  readonly lookups?: unknown;
}

/**
 * Throws unless a definition has no fault.
 *
 * @throws {TypeError} the message names the first fault
 */
export function assertDefinition(definition: UntypedDefinition): void {
  const { lifecycle, custom = null } = definition;
  if (!isPlainObject(lifecycle)) return fail('lifecycle must be an object');
  checkLifecycle(lifecycle, definition);
  checkGuards(definition);
  checkLookups(definition);
  if (custom === null) return;
  if (!isPlainObject(custom) || typeof custom['parse'] !== 'function' || !isPlainObject(custom['schema']))
    fail('custom must have a function parse and an object schema');
}

function fail(fault: string): never {
  throw new TypeError(`defineOrders: ${fault}`);
}

function checkLifecycle(
  lifecycle: Readonly<Record<string, unknown>>,
  { initial, cancel, requires }: UntypedDefinition,
): void {
  const rows = new Map<unknown, unknown>(Object.entries(lifecycle));
  if (rows.size === 0 || rows.size > ORDER_STATUSES_MAX)
    fail(`lifecycle must have 1 to ${ORDER_STATUSES_MAX} statuses, got ${rows.size}`);
  for (const [status, targets] of Object.entries(lifecycle)) checkStatus(status, targets, rows);
  if (![...rows.values()].some((targets) => toArray(targets).length === 0))
    fail('no status is terminal: give one no targets');
  for (const [role, status] of Object.entries({ initial, cancel }))
    requireStatus(status, rows, `the ${role} status is`);
  for (const [status, required] of membersOf(requires, 'requires')) {
    if (!Array.isArray(required)) fail(`requires of "${status}" must be an array of statuses`);
    for (const each of [status, ...toArray(required)]) requireStatus(each, rows, 'requires has');
  }
  // A set is iterated over the elements that are added meanwhile, too.
  const reached = new Set([initial]);
  for (const status of reached) for (const target of toArray(rows.get(status))) reached.add(target);
  for (const status of Object.keys(lifecycle))
    if (!reached.has(status)) fail(`no transitions lead from "${String(initial)}" to the status "${status}"`);
  if (cancel === initial && rows.size > 1) fail(`the cancel status "${String(cancel)}" must not be the initial one`);
}

function checkStatus(status: string, targets: unknown, rows: ReadonlyMap<unknown, unknown>): void {
  const failWith = (fault: string) => fail(`the status "${status}" ${fault}`);
  if (!NAME.test(status)) failWith('must be 1 to 30 of a-z, 0-9 and _, the first a letter');
  if (RESERVED_STATUSES.some((name) => name === status)) failWith('has a reserved name');
  if (!Array.isArray(targets)) failWith('must have an array of statuses');
  for (const [index, target] of toArray(targets).entries()) {
    requireStatus(target, rows, `the status "${status}" leads to`);
    if (target === status) failWith('leads to itself');
    else if (toArray(targets).indexOf(target) < index) failWith('leads to another one twice');
  }
}

function requireStatus(status: unknown, rows: ReadonlyMap<unknown, unknown>, where: string): void {
  if (!rows.has(status)) fail(`${where} "${String(status)}", which is none of ${[...rows.keys()].join(', ')}`);
}

/** Statuses that are required are checked with the statuses themselves. */
function checkGuards({ refusals, guards }: UntypedDefinition): void {
  for (const [code, sentence] of membersOf(refusals, 'refusals'))
    if (typeof sentence !== 'string' || sentence === '' || code === STATUS_REQUIRED)
      fail(`the refusal "${code}" must be a sentence`);
  for (const [name, guard] of membersOf(guards, 'guards'))
    for (const [each, run] of name === 'enter' ? membersOf(guard, name) : ([[name, guard]] as const))
      if (run !== undefined && typeof run !== 'function') fail(`the guard "${each}" must be a function`);
}

function checkLookups({ lookups, custom = null }: UntypedDefinition): void {
  const named = membersOf(lookups, 'lookups');
  if (named.length > OWN_LOOKUPS_MAX) fail(`lookups must be at most ${OWN_LOOKUPS_MAX}`);
  if (named.length > 0 && custom === null) fail('lookups need custom, in which they find texts');
  for (const [name, find] of named)
    if (!NAME.test(name) || typeof find !== 'function')
      fail(`the lookup "${name}" must be a function with a name of 1 to 30 of a-z, 0-9 and _, the first a letter`);
}

/** Returns the members of a member of a definition. */
function membersOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  if (value !== undefined && !isPlainObject(value)) fail(`${name} must be an object`);
  return isPlainObject(value) ? Object.entries(value) : [];
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
