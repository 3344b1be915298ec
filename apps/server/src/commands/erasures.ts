import type {
  CustomerDataLine,
  Domain,
  ErasureProgress,
  ErasureWalk,
  OrderDefinition,
  Page,
  Position,
} from '@orders/domain';
import { err, ok } from 'neverthrow';
import { OperatorError } from '../operator-error.ts';
import { BY_COMMAND } from './audited.ts';
import type { Arguments, Command } from './command.ts';
import { databaseFailure, databaseResult } from './database-result.ts';
import { Progress } from './progress.ts';
import { OWNER, readOwner } from './owner.ts';
import { print } from './print.ts';

/** Returns the id of a customer; `null` for another text, which may be personal. */
async function idOf({ positionals: [id = ''] }: Arguments): Promise<string | null> {
  const { isUuid } = await import('@orders/domain');
  return isUuid(id) ? id.toLowerCase() : null;
}

/** Lines per page of the data of a customer. */
const LINES = 100;

/** Prints everything that is stored of a customer, a JSON object a line. */
export const customerData: Command = {
  usage: 'customer-data <id>',
  records: async (args) => ({ action: 'list_customer_data', subject: await idOf(args) }),
  about: 'prints everything that is stored of a customer, a JSON object a line',
  options: [OWNER],
  examples: ['customer-data 019b2a4e-8f00-7000-8000-0000000000c1 --owner shop'],
  prepare: async (args) => {
    const owner = await readOwner(args);
    const [id = ''] = args.positionals;
    return ({ openDomain }, signal) => {
      const domain = openDomain();
      return printLines((after) => domain.readCustomerData(owner, id, { limit: LINES, after }), signal);
    };
  },
};

/** Prints everything that is stored of the person with an email, a JSON object a line. */
export const personData: Command = {
  usage: 'person-data <email>',
  records: () => ({ action: 'list_person_data', subject: null }),
  about: 'prints everything that is stored of the person with an email, also a guest, a JSON object a line',
  options: [OWNER],
  examples: ['person-data ada@example.com --owner shop'],
  prepare: async (args) => {
    const owner = await readOwner(args);
    const [email = ''] = args.positionals;
    return ({ openDomain }, signal) => {
      const domain = openDomain();
      return printLines((after) => domain.readPersonData(owner, { email, limit: LINES, after }), signal);
    };
  },
};

/** Erases a person by email, with all orders. Repeating it erases what has got the email since. */
export const erasePerson: Command = {
  usage: 'persons erase <email>',
  records: () => ({ action: 'erase_person', subject: null }),
  about: 'erases the person with an email, also a guest, and what is personal of the orders',
  options: [OWNER],
  examples: ['persons erase ada@example.com --owner shop'],
  prepare: async (args) => {
    const owner = await readOwner(args);
    const [email = ''] = args.positionals;
    return async ({ openDomain }, signal) => {
      const domain = openDomain();
      const { erasure } = await databaseResult(domain.erasePerson(owner, { email }, BY_COMMAND));
      await finishErasures(domain, owner, signal);
      await print(`erased ${erasure.id}\n`);
    };
  },
};

/** Erases a customer, with all orders. Repeating it erases what they have got since. */
export const eraseCustomer: Command = {
  usage: 'customers erase <id>',
  records: async (args) => ({ action: 'erase_customer', subject: await idOf(args) }),
  about: 'erases a person: the customer, and what is personal of its orders',
  options: [OWNER],
  examples: ['customers erase 019b2a4e-8f00-7000-8000-0000000000c1 --owner shop'],
  prepare: async (args) => {
    const owner = await readOwner(args);
    const [id = ''] = args.positionals;
    return async ({ openDomain }, signal) => {
      const domain = openDomain();
      if (!(await erase(domain, owner, id))) throw new OperatorError([`ID: ${owner} has no customer ${id}`]);
      await finishErasures(domain, owner, signal);
      await print(`erased ${id}\n`);
    };
  },
};

/** Prints all pages of lines. */
async function printLines(
  read: (after: Position<string> | undefined) => ReturnType<Domain<OrderDefinition>['readCustomerData']>,
  signal: AbortSignal,
): Promise<void> {
  for (let after: Position<string> | undefined; ;) {
    const page: Page<CustomerDataLine, string> = await databaseResult(read(after));
    await print(page.data.map((line) => `${JSON.stringify(line)}\n`).join(''));
    if (page.next === null || signal.aborted) return;
    after = page.next;
  }
}

/** Prints the erased customers of all owners, and the orders that were erased by email, for a database that is restored from an earlier backup. */
export const listErasures: Command = {
  usage: 'erasures list',
  records: 'nothing',
  about: 'prints the erased customers and orders of all owners, a JSON object a line, to be kept beside backups',
  examples: ['erasures list'],
  prepare:
    () =>
    async ({ database }) => {
      const { erasedResources } = await import('@orders/persistence');
      for await (const { owner_id: owner, ...erased } of erasedResources(database))
        await print(`${JSON.stringify({ owner, ...erased })}\n`);
    },
};

/** Erases the customers and orders of a list that were not erased by then in a restored database. Repeating it has no effect. */
export const replayErasures: Command = {
  usage: 'erasures replay <file>',
  records: () => ({ action: 'replay_erasures', subject: null }),
  about: 'erases what erasures list has printed, in a restored database',
  examples: ['erasures replay erasures.ndjson'],
  prepare: async ({ positionals: [file = ''] }) => {
    const erasures = await readErasures(file);
    const owners = new Set(erasures.map(({ owner }) => owner));
    return async ({ database, openDomain }, signal) => {
      const { erasedResources } = await import('@orders/persistence');
      const domain = openDomain();
      const left = new Map(erasures.map((each) => [keyOf(each), each]));
      const counts = { erased: 0, unknown: 0, skipped: 0 };
      for await (const { kind, owner_id: owner, id, erased_at } of erasedResources(database)) {
        const key = keyOf({ kind, owner, id });
        const listed = left.get(key);
        if (listed && Date.parse(erased_at) >= Date.parse(listed.erased_at) && left.delete(key)) counts.skipped += 1;
      }
      const progress = new Progress('replayed', 'erasures');
      try {
        for (const { kind, owner, id, erased_at } of left.values()) {
          signal.throwIfAborted();
          if (kind === 'customer') counts[(await erase(domain, owner, id)) ? 'erased' : 'unknown'] += 1;
          else counts[(await databaseResult(domain.replayErasure(owner, id, erased_at))) ? 'erased' : 'skipped'] += 1;
          progress.add(1);
        }
        for (const owner of owners) await finishErasures(domain, owner, signal);
      } finally {
        progress.stop();
      }
      await print(`erased ${counts.erased}, erased before ${counts.skipped}, unknown ${counts.unknown}\n`);
    };
  },
};

/** What a line of `erasures list` has. */
interface ListedErasure {
  readonly kind: 'customer' | 'order';
  readonly owner: string;
  readonly id: string;
  readonly erased_at: string;
}

function keyOf({ kind, owner, id }: Omit<ListedErasure, 'erased_at'>): string {
  return `${kind} ${id} ${owner}`;
}

/** Records the erasure of a customer; returns whether the owner has it. */
async function erase(domain: Domain<OrderDefinition>, owner: string, id: string): Promise<boolean> {
  const recorded = domain.eraseCustomer(owner, id, BY_COMMAND).map(() => true);
  return await databaseResult(
    recorded.orElse((error) => (error.type === 'customer_not_found' ? ok(false) : err(error))),
  );
}

/** Erases the orders of all persons of an owner whose erasure is pending. */
async function finishErasures(domain: Domain<OrderDefinition>, owner: string, signal: AbortSignal): Promise<void> {
  let walk: ErasureWalk | null = null;
  do {
    signal.throwIfAborted();
    const { next, passedOver }: ErasureProgress = await databaseResult(domain.continueErasures(owner, walk));
    if (passedOver) throw databaseFailure(passedOver.cause);
    walk = next;
  } while (walk !== null);
}

/** Reads what `erasures list` has printed, from a file or, for `-`, from standard input. */
async function readErasures(file: string): Promise<readonly ListedErasure[]> {
  const { readTextFile } = await import('../files/read-text-file.ts');
  const { isOwner, isUuid } = await import('@orders/domain');
  const { z } = await import('zod');
  const text = await readTextFile(file);
  if (text.isErr()) throw new OperatorError([`FILE: ${text.error}`]);
  const Erasure = z.object({
    kind: z.enum(['customer', 'order']),
    owner: z.string().refine(isOwner),
    id: z.string().refine(isUuid),
    erased_at: z.string().refine((time) => Date.parse(time) > 0),
  });
  return text.value
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      const { data } = z.preprocess(parsed, Erasure).safeParse(line);
      if (data) return data;
      throw new OperatorError([`FILE: line ${index + 1} is no line of erasures list`]);
    });
}

function parsed(line: unknown): unknown {
  try {
    return JSON.parse(String(line));
  } catch {
    return null;
  }
}
