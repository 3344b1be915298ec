import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../load/tally.ts';
import { isRunning, residentMiB } from '../processes/processes.ts';
import type { Server } from '../processes/server.ts';
import type { Stage } from '../stage.ts';
import type { Attack, Outcome } from './attack.ts';
import { type HostileClient, startAttack } from './hostile-client.ts';
import type { QuietDeliveries, Settled } from './quiet-deliveries.ts';
import type { QuietOwners } from './quiet-owners.ts';

/** Maximum ratio of the p99 during an attack to the quiet p99. */
const P99_RATIO = 5;

/**
 * A quiet p99 below this counts as this, in milliseconds. The short run shares its cores with whatever else runs: it
 * finds attacks that stop others, which took seconds before they were mended. The full run is for an idle machine.
 */
const [P99_FLOOR_MS, P99_FLOOR_FULL_MS] = [100, 20];

/** Maximum memory of a server that one hostile client may use, in MiB. */
export const MEMORY_MAX_MIB = 300;

/** Memory of a server at which the attack is aborted, in MiB: a fault must not exhaust the machine. */
const MEMORY_CUT_OFF_MIB = 1000;

/** The duration of the quiet run, and the minimum duration of an attack, in milliseconds. */
const [QUIET_MS, HOSTILE_MS, HOSTILE_FULL_MS] = [1500, 4000, 15_000];

/** Maximum duration of an attack with a number of requests, in milliseconds. */
const FINISH_MS = 30_000;

/** The wait before the last measurement of memory, in which it may be released, in milliseconds. */
const AFTERMATH_MS = 300;

const SAMPLE_MS = 50;

/** The environment of hostile clients and quiet owners. */
export interface HostileScene {
  readonly stage: Stage;
  readonly owners: QuietOwners;
  /** Servers whose memory is watched. */
  readonly servers: readonly Server[];
  /** Webhooks of the owners, which must arrive as their requests must succeed. Default: none. */
  readonly deliveries?: QuietDeliveries;
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
  readonly fault?: (outcome: Outcome) => Promise<string | undefined> | string | undefined;
}

/** Returns an attack that one thread runs. */
export function wayOf(stage: Stage, name: string, attack: Attack, more: Pick<Way, 'finishes' | 'fault'> = {}): Way {
  return { name, start: () => startAttack(stage, attack), ...more };
}

/**
 * Measures the quiet owners alone, then during one attack. Records a breach when a request of theirs fails, when their
 * p99 exceeds its bound, when the server needs too much memory, or when the attack succeeds.
 */
export async function playBeside({ stage, owners, servers, deliveries }: HostileScene, way: Way): Promise<void> {
  const { name } = way;
  stage.progress(`${name}: the quiet run`);
  await deliveries?.settle();
  const quiet = await owners.run(QUIET_MS);
  const quietDeliveries = await deliveries?.settle();
  const memory = watchMemory(servers);
  stage.progress(`${name}: during the attack`);
  const client = way.start();
  const ended = Promise.race([
    way.finishes === true ? client.finished : Promise.resolve(),
    memory.cutOff,
    sleep(FINISH_MS, undefined, { ref: false }),
  ]);
  const stopped = memory.cutOff.then(() => client.stop());
  stopped.catch(() => undefined); // Its failure is that of `stop` below.
  const hostile = await owners.run(stage.full ? HOSTILE_FULL_MS : HOSTILE_MS, ended);
  const hostileDeliveries = await deliveries?.settle();
  const outcome = await client.stop();
  await sleep(AFTERMATH_MS);
  const { before, peak, after } = memory.stop();

  const [quietP99, hostileP99] = [quantile(quiet.tookMs, 0.99), quantile(hostile.tookMs, 0.99)];
  const bound = boundOf(stage, quietP99);
  stage.figure(
    name,
    `p99 ${ms(quietP99)} → ${ms(hostileP99)}, ${hostile.failures.length} of ${hostile.tookMs.length} failed, ` +
      `${[before, peak, after].map((value) => value.toFixed(0)).join(' → ')} MiB; ${formatted(outcome)}`,
  );
  const [first = ''] = quiet.failures;
  stage.holds(
    quiet.failures.length === 0,
    `${name}: nothing fails in the quiet run`,
    `${quiet.failures.length}: ${first}`,
  );
  const failures = `${hostile.failures.length} of ${hostile.tookMs.length}, such as ${summary(hostile.failures)}`;
  stage.holds(hostile.failures.length === 0, `${name}: no request of another owner fails`, failures);
  stage.holdsWithin(bound, `${name}: p99 of other owners`, hostileP99);
  if (quietDeliveries && hostileDeliveries) checkDeliveries(stage, name, quietDeliveries, hostileDeliveries);
  const [grown, most] = [peak - before, way.memoryMaxMib ?? MEMORY_MAX_MIB];
  stage.holds(grown <= most, `${name}: at most ${most} MiB of memory`, `${grown.toFixed(0)} MiB`);
  const fault = await way.fault?.(outcome);
  stage.holds(fault === undefined, `${name}: the attack has no effect`, fault ?? '');
}

/** Records a breach when deliveries of the quiet owners are missing, or when their p99 exceeds its bound. */
function checkDeliveries(stage: Stage, name: string, quiet: Settled, hostile: Settled): void {
  const [quietP99, hostileP99] = [quantile(quiet.lagsMs, 0.99), quantile(hostile.lagsMs, 0.99)];
  stage.figure(`  ${name}, deliveries`, `p99 ${ms(quietP99)} → ${ms(hostileP99)} of ${hostile.lagsMs.length}`);
  const missing = quiet.missing + hostile.missing;
  stage.holds(missing === 0, `${name}: every event of another owner is delivered`, `${missing} are missing`);
  const bound = boundOf(stage, quietP99);
  stage.holdsWithin(bound, `${name}: p99 of other owners' deliveries`, hostileP99);
}

/** Returns the maximum p99 during an attack. */
function boundOf({ full }: Stage, quietP99: number): number {
  return P99_RATIO * Math.max(quietP99, full ? P99_FLOOR_FULL_MS : P99_FLOOR_MS);
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

/** Samples the memory of the servers, and returns the largest value. */
function watchMemory(servers: readonly Server[]) {
  const resident = () =>
    Math.max(0, ...servers.map((server) => (isRunning(server.pid()) ? residentMiB(server.pid()) : 0)));
  const cutOff = Promise.withResolvers<void>();
  const before = resident();
  let peak = before;
  const sample = () => {
    peak = Math.max(peak, resident());
    if (peak - before > MEMORY_CUT_OFF_MIB) cutOff.resolve();
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    cutOff: cutOff.promise,
    stop: () => {
      clearInterval(timer);
      return { before, peak, after: resident() };
    },
  };
}

function formatted(outcome: Outcome): string {
  return Object.entries(outcome)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

/** Returns the most frequent failures, without their durations. */
function summary(failures: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const failure of failures) {
    const kind = failure.replace(/ after \d+ ms$/, '');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const most = [...counts].toSorted(([, left], [, right]) => right - left).slice(0, 3);
  return most.map(([kind, count]) => `${count} × ${kind}`).join('; ');
}
