import { isPlainObject } from '../../shared/validation.ts';
import type { ReservedName } from './definition-faults.ts';

/** Maximum number of statuses of a definition. */
export const ORDER_STATUSES_MAX = 40;

const NAME = /^[a-z][a-z0-9_]{0,29}$/;

/** Names of other events of orders, and of their other times. */
const RESERVED = ['created', 'updated', 'placed', 'changed', 'deleted', 'imported'] satisfies readonly ReservedName[];

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
}

/**
 * Returns every fault of a definition that was not written in TypeScript, such as that of a file. {@link defineOrders}
 * accepts a definition without faults.
 */
export function findDefinitionFaults(definition: UntypedDefinition): readonly DefinitionFault[] {
  return [...faultsOf(definition)];
}

/**
 * Throws unless a definition has no fault.
 *
 * @throws {TypeError} the message names the first fault
 */
export function assertDefinition(definition: UntypedDefinition): void {
  for (const { message } of faultsOf(definition)) throw new TypeError(`defineOrders: ${message}`);
}

function* faultsOf({ lifecycle, initial, cancel, custom = null }: UntypedDefinition): Generator<DefinitionFault> {
  if (isPlainObject(lifecycle)) yield* faultsOfLifecycle(lifecycle, { initial, cancel });
  else yield { path: ['lifecycle'], message: 'lifecycle must be an object' };
  if (custom === null) return;
  if (!isPlainObject(custom) || typeof custom['parse'] !== 'function' || !isPlainObject(custom['schema']))
    yield { path: ['custom'], message: 'custom must have a function parse and an object schema' };
}

function* faultsOfLifecycle(
  lifecycle: Readonly<Record<string, unknown>>,
  roles: { readonly initial: unknown; readonly cancel: unknown },
): Generator<DefinitionFault> {
  const rows = new Map<unknown, unknown>(Object.entries(lifecycle));
  const path = ['lifecycle'];
  if (rows.size === 0 || rows.size > ORDER_STATUSES_MAX)
    yield { path, message: `lifecycle must have 1 to ${ORDER_STATUSES_MAX} statuses, got ${rows.size}` };
  for (const [status, targets] of Object.entries(lifecycle)) yield* faultsOfStatus(status, targets, rows);
  if (![...rows.values()].some((targets) => toArray(targets).length === 0))
    yield { path, message: 'no status is terminal' };
  for (const [role, status] of Object.entries(roles))
    if (!rows.has(status)) yield { path: [role], message: `the ${role} status "${String(status)}" is unknown` };
  const { initial, cancel } = roles;
  // Without a known initial status, no status is reachable.
  if (!rows.has(initial)) return;
  // A set is iterated over the elements that are added meanwhile, too.
  const reached = new Set([initial]);
  for (const status of reached) for (const target of toArray(rows.get(status))) reached.add(target);
  for (const status of Object.keys(lifecycle))
    if (!reached.has(status))
      yield {
        path: [...path, status],
        message: `no transitions lead from "${String(initial)}" to the status "${status}"`,
      };
  if (cancel === initial && rows.size > 1)
    yield { path: ['cancel'], message: `the cancel status "${String(cancel)}" must not be the initial one` };
}

function* faultsOfStatus(
  status: string,
  targets: unknown,
  rows: ReadonlyMap<unknown, unknown>,
): Generator<DefinitionFault> {
  const fault = (message: string, ...place: readonly string[]) => ({
    path: ['lifecycle', status, ...place],
    message: `the status "${status}" ${message}`,
  });
  if (!NAME.test(status)) yield fault('must be 1 to 30 of a-z, 0-9 and _, the first a letter');
  if (RESERVED.some((name) => name === status)) yield fault('has a reserved name');
  if (!Array.isArray(targets)) yield fault('must have an array of statuses');
  const known = new Set();
  for (const [index, target] of toArray(targets).entries()) {
    if (!rows.has(target)) yield fault(`leads to "${String(target)}", which is unknown`, `${index}`);
    else if (target === status) yield fault('leads to itself', `${index}`);
    else if (known.has(target)) yield fault('leads to another one twice', `${index}`);
    known.add(target);
  }
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
