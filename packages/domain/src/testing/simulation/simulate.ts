import { type DefaultDefinition, type OrderDefinition, ORDERS } from '../../orders/order-lifecycle.ts';
import { assertOptions } from '../../shared/validation.ts';
import { type Condition, run, type RunOptions, type RunOutcome, type Simulation } from './run.ts';

/** Defaults of {@link SimulationOptions}. */
const SEEDS_DEFAULT = 100;
const OPERATIONS_DEFAULT = 30;
const SETTLE_MS_DEFAULT = 60 * 60_000;

/** Maximum number of steps of the runs that make a failure smaller: some seconds. The last run may exceed it. */
const SHRINKING_STEPS_MAX = 500_000;

/** Maximum number of lines of the trace in a message. */
const TRACE_LINES_MAX = 60;

/** What is simulated. */
export interface SimulationOptions<W, D extends OrderDefinition = DefaultDefinition> {
  /** Adds the processes of one run, and returns its world: what they share, and what conditions are about. */
  readonly program: (simulation: Simulation<D>) => W;
  /** What holds at any time, by its name. */
  readonly invariants: Readonly<Record<string, Condition<W>>>;
  /** What holds at the latest {@link settleMs} after the faults have ended, by its name. Default: nothing. */
  readonly eventually?: Readonly<Record<string, Condition<W>>> | undefined;
  /** How many seeds, from 1, or which ones. Default: 100. */
  readonly seeds?: number | readonly number[] | undefined;
  /** How many operations the processes of a run make together. Default: 30. */
  readonly operations?: number | undefined;
  /** The only faults that happen, as a failure lists them. Default: those that the seed draws. */
  readonly faults?: readonly string[] | undefined;
  /** Time in the simulation, in milliseconds. Default: an hour. */
  readonly settleMs?: number | undefined;
  /** The definition of the orders of the store. Default: {@link ORDERS}. */
  readonly definition?: D | undefined;
}

/** What a simulation without a failure consisted of. */
export interface SimulationReport {
  readonly seeds: number;
  readonly operations: number;
  /** The number of calls, responses and ends of pauses. */
  readonly steps: number;
  /** The number of faults of each kind, such as `crash`. */
  readonly faults: Readonly<Record<string, number>>;
}

/** What makes a failure happen again: `simulate({ ...options, ...failed.replay })`. */
export interface Replay {
  readonly seeds: readonly [number];
  readonly operations: number;
  readonly faults: readonly string[];
}

/** A condition does not hold, or a process throws or hangs. The message says what happened, and how it happens again. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed';
  /** The name of the condition, or what the process does not do. */
  readonly condition: string;
  readonly replay: Replay;
  /** What happened, a line each. */
  readonly trace: readonly string[];

  constructor(condition: string, cause: unknown, replay: Replay, trace: readonly string[]) {
    const { seeds, operations, faults } = replay;
    const left = trace.length > TRACE_LINES_MAX ? [`… ${trace.length - TRACE_LINES_MAX} lines before`] : [];
    super(
      [
        `seed ${seeds[0]}: not "${condition}": ${cause instanceof Error ? cause.message : String(cause)}`,
        `It happens again with { seeds: [${seeds[0]}], operations: ${operations}, faults: ${JSON.stringify(faults)} }:`,
        ...left,
        ...trace.slice(-TRACE_LINES_MAX),
      ].join('\n'),
      { cause },
    );
    this.condition = condition;
    this.replay = replay;
    this.trace = trace;
  }
}

/**
 * Runs a program with many seeds. Each draws in which order calls arrive and responses return, and how long they take. It
 * also draws which calls fail before or after they were done, when processes crash and start again, and which clocks are
 * wrong. One seed always gives the same run, provided that the program takes time, ids, random numbers and I/O from its
 * processes.
 *
 * A run ends when all clients have ended, faults have stopped, and all of `eventually` holds. The first failure is made
 * smaller, by fewer operations and faults, and rejects as a {@link SimulationFailed}.
 *
 * @throws {TypeError} an option is unknown
 */
export async function simulate<W, D extends OrderDefinition>(
  options: SimulationOptions<W, D> & { readonly definition: D },
): Promise<SimulationReport>;
export async function simulate<W>(options: SimulationOptions<W>): Promise<SimulationReport>;
export async function simulate(options: object): Promise<SimulationReport> {
  assertOptions(options, OPTIONS);
  const { seeds, ...settings } = withDefaults(options);
  const counts: Record<string, number> = {};
  let [operations, steps] = [0, 0];
  for (const seed of seeds) {
    const runOptions = { ...settings, seed, isTraced: false };
    const outcome = await run(runOptions);
    if (outcome.failure) throw await smallest(runOptions, outcome, outcome.failure.name);
    operations += outcome.operations;
    steps += outcome.steps;
    for (const fault of outcome.faults) {
      const kind = fault.slice(fault.lastIndexOf(' ') + 1);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  }
  return { seeds: seeds.length, operations, steps, faults: counts };
}

const OPTIONS = ['program', 'invariants', 'eventually', 'seeds', 'operations', 'faults', 'settleMs', 'definition'];

/** The options of all runs: of orders of a definition that is known only when the program runs. */
interface Settings extends Omit<RunOptions<OrderDefinition, unknown>, 'seed' | 'isTraced'> {
  readonly seeds: readonly number[];
}

function withDefaults(options: object): Settings;
function withDefaults({
  definition = ORDERS,
  eventually = {},
  seeds = SEEDS_DEFAULT,
  operations = OPERATIONS_DEFAULT,
  faults,
  settleMs = SETTLE_MS_DEFAULT,
  ...given
}: Partial<SimulationOptions<unknown, OrderDefinition>>): object {
  return {
    ...given,
    definition,
    eventually,
    seeds: typeof seeds === 'number' ? Array.from({ length: seeds }, (_, index) => index + 1) : seeds,
    operations,
    faults: faults ? new Set(faults) : null,
    settleMs,
  };
}

/** Looks for the smallest run that fails in the same way, and returns its failure. */
async function smallest(
  options: RunOptions<OrderDefinition, unknown>,
  found: RunOutcome,
  name: string,
): Promise<SimulationFailed> {
  let smallestSoFar: Size = found;
  let candidates = smallerThan(found);
  for (let stepsLeft = SHRINKING_STEPS_MAX; stepsLeft > 0;) {
    const { value: candidate } = candidates.next();
    if (!candidate) break;
    const { operations } = candidate;
    const { failure, faults, steps } = await run({ ...options, operations, faults: new Set(candidate.faults) });
    stepsLeft -= steps;
    if (failure?.name !== name) continue;
    // Without those that no longer happen.
    smallestSoFar = { operations, faults };
    candidates = smallerThan(smallestSoFar);
  }
  const { operations, faults } = smallestSoFar;
  const { failure, trace } = await run({ ...options, operations, faults: new Set(faults), isTraced: true });
  const other = 'its replay does not fail: the program takes time, ids, random numbers or I/O from elsewhere';
  const cause = failure?.name === name ? failure.cause : new Error(other);
  return new SimulationFailed(name, cause, { seeds: [options.seed], operations, faults }, trace);
}

type Size = Pick<RunOutcome, 'operations' | 'faults'>;

/** Returns smaller runs, the smallest first, which may fail as well. */
function* smallerThan({ operations, faults }: Size): Generator<Size, undefined> {
  for (const size of halvesOf(operations)) if (size < operations) yield { operations: operations - size, faults };
  for (const size of halvesOf(faults.length))
    for (let at = 0; at < faults.length; at += size) yield { operations, faults: faults.toSpliced(at, size) };
  // An earlier call may fail as well, and then fewer operations may be enough.
  for (const [at, fault] of faults.entries())
    for (const earlier of earlierCalls(fault)) yield { operations, faults: faults.with(at, earlier) };
}

function* halvesOf(count: number): Generator<number> {
  for (let size = Math.ceil(count / 2); size >= 1; size = Math.floor(size / 2)) yield size;
}

/** Returns the same fault at earlier calls: the first few, and that half as far. */
function earlierCalls(fault: string): readonly string[] {
  const [, call = '', nth = '', kind = ''] = /^(.*)#(\d+) (.*)$/.exec(fault) ?? [];
  const earlier = [1, 2, 3, Math.floor(Number(nth) / 2)].filter((at) => at > 0 && at < Number(nth));
  return earlier.map((at) => `${call}#${at} ${kind}`);
}
