import type {
  CustomerDataLine,
  Domain,
  ErasureProgress,
  ErasureWalk,
  OrderDefinition,
  Page,
  Position,
} from '@orders/domain';
import type { Result } from 'neverthrow';
import type { Config } from '../config/config.ts';
import type { Store } from '../database/store.ts';
import { OperatorError, reasonOf } from '../operator-error.ts';
import type { Arguments, Command } from './command.ts';
import { print } from './print.ts';

type AnyDomain = Domain<OrderDefinition>;

/** Lines per page of the data of a customer. */
const LINES = 100;

/** Prints everything that is stored of a customer, a JSON object a line. */
export const customerData: Command = {
  usage: 'customer-data ID --owner OWNER',
  about: 'prints everything that is stored of a customer, a JSON object a line',
  examples: ['customer-data 019b2a4e-8f00-7000-8000-0000000000c1 --owner shop'],
  prepare: async (args) => {
    const [owner, id] = [await readOwner(args), idOf(args)];
    return async (store, signal, config) => {
      const domain = await domainOn(store, config);
      for (let after: Position<string> | undefined; ;) {
        const query = { limit: LINES, after };
        const page: Page<CustomerDataLine, string> = valueOf(await domain.readCustomerData(owner, id, query));
        await print(page.data.map((line) => `${JSON.stringify(line)}\n`).join(''));
        if (page.next === null || signal.aborted) return;
        after = page.next;
      }
    };
  },
};

/** Erases a person, with all orders. Repeating it erases what they have got since. */
export const eraseCustomer: Command = {
  usage: 'customers erase ID --owner OWNER',
  about: 'erases a person: the customer, and what is personal of its orders',
  examples: ['customers erase 019b2a4e-8f00-7000-8000-0000000000c1 --owner shop'],
  prepare: async (args) => {
    const [owner, id] = [await readOwner(args), idOf(args)];
    return async (store, signal, config) => {
      const domain = await domainOn(store, config);
      if (!(await erase(domain, owner, id))) throw new OperatorError([`ID: ${owner} has no customer ${id}`]);
      await finishErasures(domain, owner, signal);
      await print(`erased ${id}\n`);
    };
  },
};

/** Prints the erased customers of all owners, for a database that is restored from an earlier backup. */
export const listErasures: Command = {
  usage: 'erasures list',
  about: 'prints the erased customers of all owners, a JSON object a line, to be kept beside backups',
  examples: ['erasures list'],
  prepare:
    () =>
    async ({ database }) => {
      const { erasedCustomers } = await import('@orders/persistence');
      for await (const { owner_id: owner, id, erased_at } of erasedCustomers(database))
        await print(`${JSON.stringify({ owner, id, erased_at })}\n`);
    },
};

/** Erases the customers of a list who were not erased by then in a restored database. Repeating it has no effect. */
export const replayErasures: Command = {
  usage: 'erasures replay FILE',
  about: 'erases the customers that erasures list has printed, in a restored database',
  examples: ['erasures replay erasures.ndjson'],
  prepare: async ({ positionals: [file = ''] }) => {
    const erasures = await readErasures(file);
    const owners = new Set(erasures.map(({ owner }) => owner));
    return async (store, signal, config) => {
      const { erasedCustomers } = await import('@orders/persistence');
      const domain = await domainOn(store, config);
      const left = new Map(erasures.map((each) => [keyOf(each), each]));
      const counts = { erased: 0, unknown: 0, skipped: 0 };
      for await (const { owner_id: owner, id, erased_at } of erasedCustomers(store.database)) {
        const key = keyOf({ owner, id });
        const listed = left.get(key);
        if (listed && Date.parse(erased_at) >= Date.parse(listed.erased_at) && left.delete(key)) counts.skipped += 1;
      }
      for (const { owner, id } of left.values()) {
        signal.throwIfAborted();
        counts[(await erase(domain, owner, id)) ? 'erased' : 'unknown'] += 1;
      }
      for (const owner of owners) await finishErasures(domain, owner, signal);
      await print(`erased ${counts.erased}, erased before ${counts.skipped}, unknown ${counts.unknown}\n`);
    };
  },
};

/** What a line of `erasures list` has. */
interface ListedErasure {
  readonly owner: string;
  readonly id: string;
  readonly erased_at: string;
}

function keyOf({ owner, id }: Pick<ListedErasure, 'owner' | 'id'>): string {
  return `${id} ${owner}`;
}

/** Imported late, with all of the server. */
async function domainOn({ database }: Store, config: Config): Promise<AnyDomain> {
  const { domainOf } = await import('../compose.ts');
  return domainOf(config, database);
}

/** Records the erasure of a customer; returns whether the owner has it. */
async function erase(domain: AnyDomain, owner: string, id: string): Promise<boolean> {
  const recorded = await domain.eraseCustomer(owner, id);
  if (recorded.isErr() && recorded.error.type === 'customer_not_found') return false;
  valueOf(recorded);
  return true;
}

/** Erases the orders of all customers of an owner whose erasure is pending. */
async function finishErasures(domain: AnyDomain, owner: string, signal: AbortSignal): Promise<void> {
  let walk: ErasureWalk | null = null;
  do {
    signal.throwIfAborted();
    const { next, passedOver }: ErasureProgress = valueOf(await domain.continueErasures(owner, walk));
    if (passedOver) throw failureOf(passedOver.cause);
    walk = next;
  } while (walk !== null);
}

/**
 * Returns the value of a result.
 *
 * @throws {OperatorError} the use case has failed
 */
function valueOf<T>(result: Result<T, { readonly type: string }>): T {
  if (result.isOk()) return result.value;
  const { error } = result;
  if (!('cause' in error)) throw new OperatorError([`the command failed: ${error.type}`]);
  throw failureOf(error.cause);
}

function failureOf(cause: unknown): OperatorError {
  return new OperatorError([`the database query failed: ${reasonOf(cause)}`], { cause });
}

async function readOwner({ values: { owner = '' } }: Arguments): Promise<string> {
  const { isOwner } = await import('@orders/domain');
  if (isOwner(owner)) return owner;
  throw new OperatorError(['--owner: must be 1 to 255 printable ASCII characters']);
}

function idOf({ positionals: [id = ''] }: Arguments): string {
  return id;
}

/** Reads what `erasures list` has printed, from a file or, for `-`, from standard input. */
async function readErasures(file: string): Promise<readonly ListedErasure[]> {
  const { readTextFile } = await import('../files/read-text-file.ts');
  const { isOwner, isUuid } = await import('@orders/domain');
  const text = await readTextFile(file);
  if (text.isErr()) throw new OperatorError([`FILE: ${text.error}`]);
  return text.value
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      const parsed = parse(line);
      if (isErasure(parsed) && isOwner(parsed.owner) && isUuid(parsed.id) && Date.parse(parsed.erased_at) > 0)
        return parsed;
      throw new OperatorError([`FILE: line ${index + 1} is no line of erasures list`]);
    });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isErasure(line: unknown): line is ListedErasure {
  const names = ['owner', 'id', 'erased_at'] as const;
  return (
    typeof line === 'object' && line !== null && names.every((name) => typeof Reflect.get(line, name) === 'string')
  );
}
