import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, residentMiB, type Server } from '@orders/system-under-test';
import type { Stage } from '../stage.ts';
import type { HostileScene } from './scene.ts';

/** Maximum ratio of the p99 during an attack to the quiet p99. */
const P99_RATIO = 5;

/**
 * A quiet p99 below this counts as this, in milliseconds. The short run shares its cores with whatever else runs: it
 * finds attacks that stop others, which took seconds before they were mended. The full run is for an idle machine.
 */
const [P99_FLOOR_MS, P99_FLOOR_FULL_MS] = [100, 20];

/** Maximum memory of a server that one hostile client may use, in MiB. */
export const MEMORY_MAX_MIB = 300;

/** The duration of the quiet run, and the minimum duration of an attack, in milliseconds. */
const [QUIET_MS, HOSTILE_MS, HOSTILE_FULL_MS] = [1500, 4000, 15_000];

/** Maximum duration of an attack with a number of requests, in milliseconds. */
const FINISH_MS = 30_000;

const SAMPLE_MS = 50;

/** The outcome of an attack: counts by name, such as the status of responses. */
export type Outcome = Readonly<Record<string, number>>;

/** A running hostile client. */
export interface HostileClient {
  /** Settles when the attack has run out of requests or was stopped. */
  readonly finished: Promise<Outcome>;
  /** Ends the attack; resolves with its outcome. */
  stop(): Promise<Outcome>;
}

/** An attack and its expected outcome. */
export interface Way {
  readonly name: string;
  readonly start: () => HostileClient;
  /** Whether the attack ends when its requests are sent, rather than when it is stopped. */
  readonly finishes?: boolean;
  /** Maximum memory of a server that the attack may use, in MiB. Default: {@link MEMORY_MAX_MIB}. */
  readonly memoryMaxMib?: number;
  /** Checks the outcome; returns what must not have happened, if anything. */
  readonly fault?: (outcome: Outcome) => string | undefined;
}

/**
 * Measures the quiet owners alone, then during one attack. Records a breach when a request of theirs fails, when their
 * p99 exceeds its bound, when the server needs too much memory, or when the attack succeeds.
 */
export async function playBeside({ stage, owners, server }: HostileScene, way: Way): Promise<void> {
  const { name } = way;
  stage.progress(`${name}: the quiet run`);
  const quiet = await owners.run(QUIET_MS);
  const memory = watchMemory(server);
  stage.progress(`${name}: during the attack`);
  const client = way.start();
  const ended = way.finishes === true ? client.finished : Promise.resolve();
  const atMost = sleep(FINISH_MS, undefined, { ref: false });
  const hostile = await owners.run(stage.full ? HOSTILE_FULL_MS : HOSTILE_MS, Promise.race([ended, atMost]));
  const outcome = await client.stop();
  const { before, peak } = memory.stop();

  const [quietP99, hostileP99] = [quantile(quiet.tookMs, 0.99), quantile(hostile.tookMs, 0.99)];
  const memories = `${before.toFixed(0)} → ${peak.toFixed(0)} MiB`;
  const counts = Object.entries(outcome).map(([of, count]) => `${of}: ${count}`);
  stage.figure(name, `p99 ${ms(quietP99)} → ${ms(hostileP99)}, ${memories}; ${counts.join(', ')}`);
  for (const [when, { failures, tookMs }] of [['alone', quiet] as const, ['beside', hostile] as const]) {
    const found = `${failures.length} of ${tookMs.length} ${when}, such as ${failures[0]}`;
    stage.holds(failures.length === 0, `${name}: no request of another owner fails`, found);
  }
  stage.holdsWithin(boundOf(stage, quietP99), `${name}: p99 of other owners`, hostileP99);
  const [grown, most] = [peak - before, way.memoryMaxMib ?? MEMORY_MAX_MIB];
  stage.holds(grown <= most, `${name}: at most ${most} MiB of memory`, `${grown.toFixed(0)} MiB`);
  const fault = way.fault?.(outcome);
  stage.holds(fault === undefined, `${name}: the attack has no effect`, fault ?? '');
}

/** Returns the maximum p99 during an attack. */
function boundOf({ full }: Stage, quietP99: number): number {
  return P99_RATIO * Math.max(quietP99, full ? P99_FLOOR_FULL_MS : P99_FLOOR_MS);
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

/** Samples the memory of a server, and returns the largest value. */
function watchMemory(server: Server) {
  const resident = () => residentMiB(server.pid());
  const before = resident();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, resident());
  }, SAMPLE_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return { before, peak };
    },
  };
}
