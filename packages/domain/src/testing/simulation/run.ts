import type { Timer } from '../../events/timer.ts';
import type { DefaultDefinition, OrderDefinition } from '../../orders/order-lifecycle.ts';
import type { Clock } from '../../shared/clock.ts';
import { type InMemoryStore, inMemoryStore } from '../in-memory/in-memory-store.ts';
import { Agenda, settled } from './agenda.ts';
import { Draws } from '../draws.ts';
import {
  createProcess,
  type ProcessHost,
  type SimulatedFaultKind,
  type SimulatedProcess,
  type StartedProcess,
} from './simulated-process.ts';

/** The time at which every run starts. */
const START_MS = Date.UTC(2026, 0, 1);

/** Maximum time between a crash and the next start, in milliseconds. */
const RESTART_MAX_MS = 5000;

/** Maximum error of the clock of a process, in milliseconds. */
const CLOCK_ERROR_MAX_MS = 60 * 60_000;

/** Maximum time in which stopped services end, in milliseconds. */
const STOP_MAX_MS = 10 * 60_000;

/** Maximum number of lines of a trace after the faults have ended. */
const HEALED_LINES_MAX = 30;

/** Maximum number of steps of a run, and beside that for each operation. */
const STEPS_MAX = 20_000;
const STEPS_PER_OPERATION_MAX = 1000;

/**
 * A statement about a world. It does not hold if the function returns false, or throws; the reason is what it throws. It may
 * return a promise, and calls no port of a process.
 */
export type Condition<W> = (world: W) => unknown;

/** What a program makes its world of. */
export interface Simulation<D extends OrderDefinition = DefaultDefinition> {
  /** The store, without faults. */
  readonly store: InMemoryStore<D>;
  /** The clock of the store. */
  readonly clock: Clock;
  /** Adds a process that ends by itself, such as one that places orders. When all have ended, faults end, too. */
  readonly client: (name: string, start: (process: SimulatedProcess<D>) => Promise<void>) => void;
  /** Adds a process that runs until its signal is aborted, such as a consumer. */
  readonly service: (name: string, start: (process: SimulatedProcess<D>) => Promise<void>) => void;
}

/** What a run depends on, and nothing else. */
export interface RunOptions<D extends OrderDefinition, W> {
  readonly definition: D;
  readonly program: (simulation: Simulation<D>) => W;
  readonly invariants: Readonly<Record<string, Condition<W>>>;
  readonly eventually: Readonly<Record<string, Condition<W>>>;
  readonly settleMs: number;
  readonly seed: number;
  readonly operations: number;
  /** The only faults that happen; `null` for those that the seed draws. */
  readonly faults: ReadonlySet<string> | null;
  readonly isTraced: boolean;
}

/** The outcome of a run. */
export interface RunOutcome {
  /** What does not hold, and why; `null` if nothing failed. */
  readonly failure: { readonly name: string; readonly cause: unknown } | null;
  /** The faults that happened, such as `oven checkpoints.save#3 crash`. */
  readonly faults: readonly string[];
  readonly operations: number;
  readonly steps: number;
  /** What happened, a line each, if it is traced. */
  readonly trace: readonly string[];
}

interface Participant<D extends OrderDefinition> {
  readonly isService: boolean;
  readonly start: (process: SimulatedProcess<D>) => Promise<void>;
  /** `null` before its start, between a crash and the next start, and after its end. */
  running: StartedProcess<D> | null;
  hasEnded: boolean;
}

/** Runs a program until its conditions hold at the end, or one fails. */
export async function run<D extends OrderDefinition, W>(options: RunOptions<D, W>): Promise<RunOutcome> {
  const host = new Host(options);
  await host.play(options);
  return host.outcome();
}

/** One run. Nothing in it depends on anything but its options. */
class Host<D extends OrderDefinition> implements ProcessHost<D>, Simulation<D> {
  readonly agenda = new Agenda();
  readonly draws: Draws;
  readonly clock: Clock = { now: () => new Date(START_MS + Math.floor(this.agenda.now)) };
  readonly store: InMemoryStore<D>;
  // Properties, so that a program can take them out of the simulation.
  readonly client = (name: string, start: Participant<D>['start']): void => this.#add(name, start, false);
  readonly service = (name: string, start: Participant<D>['start']): void => this.#add(name, start, true);
  readonly #options: Pick<RunOptions<D, unknown>, 'operations' | 'faults' | 'settleMs' | 'isTraced'>;
  readonly #participants = new Map<string, Participant<D>>();
  readonly #calls = new Map<string, number>();
  readonly #rates = new Map<string, number>();
  readonly #faults: string[] = [];
  readonly #trace: string[] = [];
  #linesLeft = HEALED_LINES_MAX;
  #operations = 0;
  #steps = 0;
  #ids = 0;
  #isHealed = false;
  #isStopping = false;
  #failure: RunOutcome['failure'] = null;

  constructor(options: Omit<RunOptions<D, unknown>, 'program' | 'invariants' | 'eventually'>) {
    this.#options = options;
    this.draws = new Draws(options.seed);
    const timer: Timer = {
      now: () => this.agenda.now,
      random: () => this.draws.next('store'),
      pause: (ms, signal) => this.agenda.pause(ms, signal),
    };
    this.store = inMemoryStore({ definition: options.definition, clock: this.clock, timer });
  }

  nextFault(call: string, kinds: readonly SimulatedFaultKind[]): SimulatedFaultKind | null {
    const nth = (this.#calls.get(call) ?? 0) + 1;
    this.#calls.set(call, nth);
    if (this.#isHealed) return null;
    const { faults } = this.#options;
    for (const kind of kinds) {
      const fault = `${call}#${nth} ${kind}`;
      // Drawn in any case, so that a replay draws the same.
      const isDrawn = this.draws.next(`${call} ${kind}`) < this.#rateOf(kind);
      if (!(faults ? faults.has(fault) : isDrawn)) continue;
      this.#faults.push(fault);
      return kind;
    }
    return null;
  }

  crash(process: string): void {
    const participant = this.#participants.get(process);
    participant?.running?.kill();
    if (!participant || participant.hasEnded) return;
    participant.running = null;
    this.agenda.after(this.draws.next(`${process} restart`) * RESTART_MAX_MS, () => this.#start(process, participant));
  }

  trace(process: string, event: string): void {
    if (!this.#options.isTraced || this.#linesLeft === 0) return;
    // When nothing goes on any more, the reason came before.
    if (this.#isHealed) this.#linesLeft -= 1;
    this.#trace.push(`${String(Math.floor(this.agenda.now)).padStart(8)} ms  ${process}  ${event}`);
  }

  nextId(clock: Clock): string {
    this.#ids += 1;
    const time = clock.now().getTime().toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${this.#ids.toString(16).padStart(12, '0')}`;
  }

  nextOperation(): number | null {
    if (this.#operations >= this.#options.operations) return null;
    this.#operations += 1;
    return this.#operations - 1;
  }

  nextClockError(process: string): number {
    // Half of all clocks are right.
    const error = this.draws.next(`${process} clock`) * 2 - 1;
    return Math.abs(error) < 0.5 ? 0 : Math.floor(error * CLOCK_ERROR_MAX_MS);
  }

  async play<W>({ program, invariants, eventually, settleMs }: RunOptions<D, W>): Promise<void> {
    const world = program(this);
    for (const [name, participant] of this.#participants)
      this.agenda.after(this.draws.next(`${name} start`) * RESTART_MAX_MS, () => this.#start(name, participant));
    const all = [...this.#participants.values()];
    while (all.some(({ isService, hasEnded }) => !isService && !hasEnded)) {
      if (!(await this.#step())) return;
      if (!(await this.#check(world, invariants))) return;
    }
    this.#isHealed = true;
    this.trace('all clients', 'have ended, and so have faults');
    const deadline = this.agenda.now + settleMs;
    while ((await unmet(world, eventually)) !== null) {
      if (this.agenda.now > deadline || !(await this.#step())) {
        this.#failure ??= await unmet(world, eventually);
        return;
      }
      if (!(await this.#check(world, invariants))) return;
    }
    await this.#stop(all);
    if (this.#failure === null) await this.#check(world, invariants);
  }

  outcome(): RunOutcome {
    for (const { running } of this.#participants.values()) running?.kill();
    return {
      failure: this.#failure,
      faults: this.#faults,
      operations: this.#operations,
      steps: this.#steps,
      trace: this.#trace,
    };
  }

  /** Lets services end. */
  async #stop(all: readonly Participant<D>[]): Promise<void> {
    const deadline = this.agenda.now + STOP_MAX_MS;
    this.#isStopping = true;
    for (const { running } of all) running?.stop();
    await settled();
    for (const [name, participant] of this.#participants) {
      while (!participant.hasEnded && this.#failure === null) {
        if (this.agenda.now <= deadline && (await this.#step())) continue;
        this.#failure = { name: `${name} ends`, cause: new Error('it goes on after its signal was aborted') };
      }
    }
  }

  /** Runs the next step. Returns false if something failed. */
  async #step(): Promise<boolean> {
    this.#steps += 1;
    const isTooLong = this.#steps > STEPS_MAX + STEPS_PER_OPERATION_MAX * this.#options.operations;
    if (!isTooLong && (await this.agenda.step())) return this.#failure === null;
    const running = [...this.#participants].filter(([, { hasEnded }]) => !hasEnded).map(([name]) => name);
    const cause = isTooLong
      ? `there were more than ${this.#steps - 1} steps`
      : 'it waits for something that never comes, or that is no port, timer or effect of its process';
    this.#failure ??= { name: `${running.join(' and ')} can end`, cause: new Error(cause) };
    return false;
  }

  async #check<W>(world: W, conditions: Readonly<Record<string, Condition<W>>>): Promise<boolean> {
    this.#failure ??= await unmet(world, conditions);
    return this.#failure === null;
  }

  #add(name: string, start: Participant<D>['start'], isService: boolean): void {
    if (this.#participants.has(name)) throw new TypeError(`there are two processes with the name ${name}`);
    this.#participants.set(name, { isService, start, running: null, hasEnded: false });
  }

  #start(name: string, participant: Participant<D>): void {
    const started = createProcess(this, name);
    participant.running = started;
    if (this.#isStopping) started.stop();
    this.trace(name, 'starts');
    const end = (failure: RunOutcome['failure']): void => {
      // A process that was killed may have promises that need nothing to settle.
      if (participant.running !== started) return;
      participant.hasEnded = true;
      participant.running = null;
      this.#failure ??= failure;
    };
    const go = async (): Promise<void> => await participant.start(started.process);
    go().then(
      () => {
        if (!participant.isService || this.#isStopping) return end(null);
        return end({ name: `${name} goes on`, cause: new Error('it ended before its signal was aborted') });
      },
      (cause: unknown) => end({ name: `${name} does not throw`, cause }),
    );
  }

  /** Returns the part of the calls that have a fault. A seed has some kinds of faults often, some rarely and some never. */
  #rateOf(kind: SimulatedFaultKind): number {
    let rate = this.#rates.get(kind);
    if (rate === undefined) {
      rate = this.draws.next(`${kind} happens`) < 0.5 ? 0 : 0.003 * 100 ** this.draws.next(`${kind} rate`);
      this.#rates.set(kind, rate);
    }
    return rate;
  }
}

/** Returns the first condition that does not hold, and why. */
async function unmet<W>(
  world: W,
  conditions: Readonly<Record<string, Condition<W>>>,
): Promise<{ readonly name: string; readonly cause: unknown } | null> {
  for (const [name, condition] of Object.entries(conditions)) {
    try {
      if ((await condition(world)) === false) return { name, cause: new Error('it is false') };
    } catch (cause) {
      return { name, cause };
    }
  }
  return null;
}
