import type { AbortSignalLike } from '../../events/abort-signal.ts';
import type { OwnerCheckpoints } from '../../events/checkpoints.ts';
import type { Timer } from '../../events/timer.ts';
import type { DefaultDefinition, OrderDefinition } from '../../orders/order-lifecycle.ts';
import type { Clock } from '../../shared/clock.ts';
import type { IdSource } from '../../shared/ids.ts';
import type { OrdersStore } from '../../webhooks/orders-store.ts';
import type { WebhookSender } from '../../webhooks/webhook-sender.ts';
import { callWith, SimulatedFault } from '../faults/fault.ts';
import { hasResult, interceptPorts, type PortCall } from '../faults/port-calls.ts';
import type { InMemoryStore } from '../in-memory/in-memory-store.ts';
import { Abort } from '../../events/abort.ts';
import type { Agenda } from './agenda.ts';
import type { Draws } from '../draws.ts';

/**
 * A process of a simulation, from its start to its end or crash. `createDomain` takes it as it is. Its ports have faults, and
 * what else it reaches, it reaches by {@link effect}.
 */
export interface SimulatedProcess<D extends OrderDefinition = DefaultDefinition> extends OrdersStore<D> {
  readonly checkpoints: OwnerCheckpoints;
  /** The clock of its machine, which may be wrong by an hour. */
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly timer: Timer;
  /** Aborted when the process is to end. */
  readonly signal: AbortSignalLike;
  /** Returns a random number from 0 to less than 1. */
  readonly random: () => number;
  /**
   * Returns the numbers of the operations that the process is to make, which those of other processes do not get: together
   * they make as many as the simulation has. After a crash, further numbers come.
   */
  readonly operations: () => Iterable<number>;
  /**
   * Does something outside the process as a whole or not at all, such as a transaction of another database or a request to
   * another server. Rejects with a {@link SimulatedFault} when it was not done, and sometimes when it was.
   *
   * @param options with `repeats`, it is sometimes done twice, as a message that a network delivers again
   */
  readonly effect: <T>(
    name: string,
    work: () => T | Promise<T>,
    options?: { readonly repeats?: boolean | undefined },
  ) => Promise<T>;
  /** Returns the sender with faults: late responses, and messages that arrive twice. */
  readonly sender: (sender: WebhookSender) => WebhookSender;
}

/** What a process has of the run that it is part of. */
export interface ProcessHost<D extends OrderDefinition> {
  readonly agenda: Agenda;
  readonly draws: Draws;
  readonly clock: Clock;
  readonly store: InMemoryStore<D>;
  /** Returns the fault of the next call of that name, one of `kinds`; `null` for none. */
  nextFault(call: string, kinds: readonly SimulatedFaultKind[]): SimulatedFaultKind | null;
  /** Ends a process, and starts it again later. */
  crash(process: string): void;
  trace(process: string, event: string): void;
  nextId(clock: Clock): string;
  /** Returns the number of the next operation; `null` after the last one. */
  nextOperation(): number | null;
  /** Returns the error of the clock of a process that starts, in milliseconds. */
  nextClockError(process: string): number;
}

/** The faults of a simulation: those of a call, a late response, and a crash of the process before or after the call. */
export type SimulatedFaultKind =
  | 'unavailable'
  | 'done_then_unavailable'
  | 'rolled_back'
  | 'decided_twice'
  | 'done_twice'
  | 'late'
  | 'crash'
  | 'done_then_crash';

const PROMISE_FAULTS = ['late', 'crash', 'done_then_crash'] as const;
const RESULT_FAULTS = [...PROMISE_FAULTS, 'unavailable', 'done_then_unavailable'] as const;
const TRANSACTION_FAULTS = [...RESULT_FAULTS, 'rolled_back', 'decided_twice'] as const;

/** The time of a request, and of a response, in milliseconds, at least and beyond that at most. */
const TRANSFER_MIN_MS = 1;
const TRANSFER_EXTRA_MS = 20;

/** Maximum time by which a late response is late, in milliseconds. */
const LATE_MAX_MS = 60_000;

/** A process, and what ends it. */
export interface StartedProcess<D extends OrderDefinition> {
  readonly process: SimulatedProcess<D>;
  /** Ends it at once: nothing that it waits for ever comes. */
  kill(): void;
  /** Lets it end. */
  stop(): void;
}

/** Creates a process of a run. */
export function createProcess<D extends OrderDefinition>(run: ProcessHost<D>, name: string): StartedProcess<D> {
  let isAlive = true;
  const end = new Abort();

  /** Makes a call after some time, and returns its outcome after some more, unless the process crashes meanwhile. */
  const make = (
    method: string,
    kinds: readonly SimulatedFaultKind[],
    work: (fault: SimulatedFaultKind | null) => PromiseLike<unknown>,
    isAwaited = false,
  ): Promise<unknown> =>
    new Promise((resolve) => {
      if (!isAlive) return;
      const call = `${name} ${method}`;
      const fault = run.nextFault(call, kinds);
      const transferMs = () => TRANSFER_MIN_MS + run.draws.next(call) * TRANSFER_EXTRA_MS;
      const respond = (settle: () => void): void => {
        if (fault === 'done_then_crash') return crash();
        const lateMs = fault === 'late' ? run.draws.next(call) * LATE_MAX_MS : 0;
        run.agenda.after(transferMs() + lateMs, () => isAlive && settle());
      };
      run.agenda.after(transferMs(), () => {
        // A request of a dead process may still arrive.
        if (!isAlive && run.draws.next(call) < 0.5) return undefined;
        run.trace(name, fault === null ? method : `${method}: ${fault}`);
        if (fault === 'crash') return crash();
        const outcome = work(fault);
        const returned = (): void => respond(() => resolve(outcome));
        const done = outcome.then(returned, returned);
        return isAwaited ? done : undefined;
      });
    });

  const crash = (): void => {
    if (isAlive) run.crash(name);
  };

  const callPort = (call: PortCall, kinds: readonly SimulatedFaultKind[]) =>
    make(call.method, kinds, (fault) => callWith(isOfCall(fault) ? fault : null, call, NO_TIME));

  const ports = interceptPorts(run.store, (call) => {
    if (!hasResult(call.method)) return callPort(call, PROMISE_FAULTS);
    return callPort(call, call.method.endsWith('.commitLocked') ? TRANSACTION_FAULTS : RESULT_FAULTS);
  });

  const errorMs = run.nextClockError(name);
  const clock: Clock = { now: () => new Date(run.clock.now().getTime() + errorMs) };

  const pause = (ms: number, signal?: AbortSignalLike): Promise<void> =>
    new Promise((resolve) => {
      if (!isAlive) return;
      const fault = run.nextFault(`${name} timer.pause`, ['crash']);
      void run.agenda.pause(ms, signal).then(() => {
        if (fault === 'crash') crash();
        if (isAlive) resolve();
      });
    });

  return {
    process: {
      ...ports,
      clock,
      ids: { next: () => run.nextId(clock) },
      timer: { now: () => run.agenda.now, random: () => run.draws.next(`${name} timer`), pause },
      signal: end,
      random: () => run.draws.next(`${name} random`),
      operations: function* operations() {
        for (let next = run.nextOperation(); isAlive && next !== null; next = run.nextOperation()) yield next;
      },
      effect: (effect, work, { repeats = false } = {}) => {
        const perform = async (fault: SimulatedFaultKind | null): Promise<unknown> => {
          if (fault === 'unavailable') throw new SimulatedFault(`${effect} was not done`);
          const value = await work();
          if (fault === 'done_twice') await work();
          if (fault === 'done_then_unavailable') throw new SimulatedFault(`${effect} was done`);
          return value;
        };
        return trusted(make(effect, repeats ? [...RESULT_FAULTS, 'done_twice'] : RESULT_FAULTS, perform, true));
      },
      sender: (sender) =>
        interceptPorts({ sender }, (call) => callPort(call, [...PROMISE_FAULTS, 'done_twice'])).sender,
    },
    kill: () => {
      isAlive = false;
    },
    stop: () => end.abort(),
  };
}

/** Late responses are those of the run. */
const NO_TIME = { pause: () => Promise.resolve() };

/** Returns whether a fault is one of the call alone. */
function isOfCall(
  fault: SimulatedFaultKind | null,
): fault is Exclude<SimulatedFaultKind, 'late' | 'crash' | 'done_then_crash'> | null {
  return fault === null || !PROMISE_FAULTS.some((kind) => kind === fault);
}

/** Returns a promise as that of what it resolves to. */
function trusted<T>(promise: Promise<unknown>): Promise<T>;
function trusted(promise: Promise<unknown>): Promise<unknown> {
  return promise;
}
