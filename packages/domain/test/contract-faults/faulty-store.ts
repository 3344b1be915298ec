import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { OrderDefinition } from '@orders/domain';
import { systemTimer, type Timer } from '../../src/events/timer.ts';
import { ORDERS } from '../../src/orders/order-lifecycle.ts';
import * as kit from '../../src/testing.ts';
import type { Fault } from './fault.ts';

const STORE = new URL('../../src/testing/in-memory/', import.meta.url).href;
/** The sandbox of the mutation tests, where each file has all mutants. The text of a fault is outside. */
const SANDBOX = /\.stryker-tmp\/[^/]+\//;

const DEFINITION: OrderDefinition = ORDERS;
const faults: Fault[] = [];

// A fault is in a module of its own, and so are the modules of the store that import it.
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const [fault = ''] = /\?fault=\d+$/.exec(context.parentURL ?? '') ?? [];
    return resolved.url.startsWith(STORE) ? { ...resolved, url: resolved.url + fault } : resolved;
  },
  load: (url, context, next) => {
    const [, path = '', at] = /^(.+)\?fault=(\d+)$/.exec(url) ?? [];
    const fault = faults[Number(at)];
    if (!fault) return next(url, context);
    const text = readFileSync(fileURLToPath(path).replace(SANDBOX, ''), 'utf8');
    const source = path === STORE + fault.file ? textWith(fault, text) : text;
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

function textWith({ file, find, replace }: Fault, text: string): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${find}`);
  return parts.join(replace);
}

type Adapters = Pick<typeof kit, 'inMemoryStore'>;

const load: (url: string) => Promise<Partial<Adapters>> = (url) => import(url);

/** Returns in-memory adapters with a fault. */
export async function withFault(fault: Fault): Promise<Adapters> {
  const at = faults.push(fault) - 1;
  const faulty = await load(`${STORE}in-memory-store.ts?fault=${at}`);
  return { ...kit, ...faulty };
}

/** A test of a contract, with the titles around it. */
interface ContractTest {
  readonly contract: string;
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** Returns the tests of all contracts on adapters, by default the correct ones; of custom data, those with `custom`. */
export function testsOf(custom: OrderDefinition, adapters: Adapters = kit): readonly ContractTest[] {
  const ofCustom = (runner: kit.TestRunner) => kit.orderRepositoryContract(runner, opening(adapters, custom), custom);
  return [
    ...testsOn(opening(adapters)),
    ...collect('bakery', ofCustom).filter(({ title }) =>
      /custom data|a page of orders|versions of an order have the event/.test(title),
    ),
    ...collect('checkpoints', (runner) => kit.checkpointsContract(runner, () => adapters.inMemoryStore().checkpoints)),
  ];
}

/** Returns the tests of all contracts with a second server that has another store. */
export function testsOfTwoStores(): readonly ContractTest[] {
  const open = opening(kit);
  return testsOn(() => ({ ...open(), openAnother: open }));
}

function testsOn(open: ReturnType<typeof opening>): readonly ContractTest[] {
  return [
    ...collect('orders', (runner) => kit.orderRepositoryContract(runner, open, DEFINITION)),
    ...collect('customers', (runner) => kit.customerRepositoryContract(runner, open, DEFINITION)),
    ...collect('endpoints', (runner) => kit.webhookEndpointRepositoryContract(runner, open, DEFINITION)),
    ...collect('feed', (runner) => kit.eventFeedContract(runner, open, DEFINITION)),
    ...collect('checkpoints of owners', (runner) => kit.ownerCheckpointsContract(runner, open, DEFINITION)),
    ...collect('statistics', (runner) => kit.orderStatisticsContract(runner, open, DEFINITION)),
    ...collect('queue', (runner) => kit.webhookQueueContract(runner, open, DEFINITION)),
  ];
}

/** Returns the tests that write thousands of events. */
export function backlogTestsOf(adapters: Adapters = kit): readonly ContractTest[] {
  const open = opening(adapters);
  return [
    ...collect('feed', (runner) => kit.eventFeedBacklogContract(runner, open, DEFINITION)),
    ...collect('queue', (runner) => kit.webhookQueueBacklogContract(runner, open, DEFINITION)),
  ];
}

/** Returns why a test fails, or `null`. */
export async function failureOf({ run }: ContractTest): Promise<string | null> {
  return await run().then(
    () => null,
    (error: unknown) => {
      // Any other error is a bug of the fault. A failed unwrap throws a value that is not an Error.
      if (error instanceof Error && error.name !== 'AssertionError') throw error;
      return error instanceof Error ? error.message : 'unexpected error';
    },
  );
}

function collect(contract: string, register: (runner: kit.TestRunner) => void): readonly ContractTest[] {
  const tests: ContractTest[] = [];
  let around = '';
  register({
    describe: (name, body) => {
      around = name;
      body();
    },
    it: (name, run) => tests.push({ contract, title: `${contract}: ${around} ${name}`, run }),
  });
  return tests;
}

/** Returns a function that opens a store as the subject of every contract. No wait lasts for long. */
function opening({ inMemoryStore }: Adapters, definition = DEFINITION) {
  const timer: Timer = { ...systemTimer, pause: (ms, signal) => systemTimer.pause(Math.min(ms, 300), signal) };
  return () => {
    const clock = kit.fixedClock();
    const { events, purgeEvents, ...store } = inMemoryStore({ definition, clock, timer });
    return {
      ...store,
      endpoints: store.webhookEndpoints,
      queue: store.webhookQueue,
      deliveries: store.webhookDeliveries,
      events: (owner: string) => Promise.resolve(events().filter((event) => event.owner === owner)),
      purge: (cutoff: string) => Promise.resolve(purgeEvents(cutoff)),
      advance: (_owner: string, ms: number) => Promise.resolve(clock.advance(ms)),
      patienceMs: 100,
    };
  };
}
