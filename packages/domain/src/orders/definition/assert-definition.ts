import { isPlainObject } from '../../shared/validation.ts';
import type { ReservedName } from './definition-faults.ts';

/** Maximum number of statuses of a definition. */
export const ORDER_STATUSES_MAX = 40;

const NAME = /^[a-z][a-z0-9_]{0,29}$/;

/** Names of other events of orders, and of their other times. */
const RESERVED = ['created', 'updated', 'placed', 'changed', 'deleted', 'imported'] satisfies readonly ReservedName[];

/**
 * Throws unless a definition has no fault; its parts are of any type, as those of a parsed file are.
 *
 * @throws {TypeError} the message names the first fault
 */
export function assertDefinition(lifecycle: unknown, initial: unknown, cancel: unknown, custom: unknown): void {
  if (!isPlainObject(lifecycle)) return fail('lifecycle must be an object');
  const rows = new Map<unknown, unknown>(Object.entries(lifecycle));
  if (rows.size === 0 || rows.size > ORDER_STATUSES_MAX)
    fail(`lifecycle must have 1 to ${ORDER_STATUSES_MAX} statuses, got ${rows.size}`);
  for (const [status, targets] of Object.entries(lifecycle)) {
    const fault = findFault(status, targets, rows);
    if (fault !== undefined) fail(`the status "${status}" ${fault}`);
  }
  if (![...rows.values()].some((targets) => toArray(targets).length === 0)) fail('no status is terminal');
  for (const [role, status] of Object.entries({ initial, cancel }))
    if (!rows.has(status)) fail(`the ${role} status "${String(status)}" is unknown`);
  // A set is iterated over the elements that are added meanwhile, too.
  const reached = new Set([initial]);
  for (const status of reached) for (const target of toArray(rows.get(status))) reached.add(target);
  for (const status of rows.keys())
    if (!reached.has(status)) fail(`no transitions lead from "${String(initial)}" to the status "${String(status)}"`);
  if (cancel === initial && rows.size > 1) fail(`the cancel status "${String(cancel)}" must not be the initial one`);
  if (custom === null) return;
  if (!isPlainObject(custom) || typeof custom['parse'] !== 'function' || !isPlainObject(custom['schema']))
    fail('custom must have a function parse and an object schema');
}

/** Returns the fault of a status and its targets, if any. */
function findFault(status: string, targets: unknown, rows: ReadonlyMap<unknown, unknown>): string | undefined {
  if (!NAME.test(status)) return 'must be 1 to 30 of a-z, 0-9 and _, the first a letter';
  if (RESERVED.some((name) => name === status)) return 'has a reserved name';
  if (!Array.isArray(targets)) return 'must have an array of statuses';
  for (const target of toArray(targets)) {
    if (!rows.has(target)) return `leads to "${String(target)}", which is unknown`;
    if (target === status) return 'leads to itself';
  }
  return new Set(targets).size < targets.length ? 'leads to another one twice' : undefined;
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fail(fault: string): never {
  throw new TypeError(`defineOrders: ${fault}`);
}
