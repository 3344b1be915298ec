import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { type Played, play, seconds } from './play.ts';
import { connectionFaults } from './scenarios/connection-faults.ts';
import { hostileBodies } from './scenarios/hostile-bodies.ts';
import { hostileBulk } from './scenarios/hostile-bulk.ts';
import { rollingUpgrade } from './scenarios/rolling-upgrade.ts';
import { soak } from './scenarios/soak.ts';
import type { Scenario } from './stage.ts';

/** All of them, in the order in which they are played. */
const SCENARIOS: readonly Scenario[] = [connectionFaults, rollingUpgrade, hostileBodies, hostileBulk, soak];

/**
 * `pnpm test:chaos [--full] [--operations N] [--seed N] [NAME…]`: injects faults into the dependencies of servers while
 * clients use them, and exits with 1 after a breach.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    operations: { type: 'string' },
    seed: { type: 'string' },
  },
});

async function main(): Promise<void> {
  const unknown = positionals.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    const names = SCENARIOS.map(({ name }) => name).join(', ');
    process.stderr.write(`unknown scenarios: ${unknown.join(', ')}; the scenarios are ${names}\n`);
    process.exitCode = 1;
    return;
  }
  const scenarios = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const extent = {
    operations: Number(values.operations ?? (values.full ? 5000 : 1000)),
    full: values.full,
    seed: Number(values.seed ?? Math.floor(Math.random() * 1_000_000)),
  };
  const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-'));
  process.stdout.write(`seed ${extent.seed}, ${extent.operations} operations each, logs in ${folder}\n`);
  const played: Played[] = [];
  // The child processes end with this one.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
      process.exit(130);
    });
  }
  for (const scenario of scenarios) played.push(await play(scenario, folder, extent));
  process.stdout.write('\n');
  for (const { name, breaches, tookMs } of played) {
    process.stdout.write(
      `${name.padEnd(22)} ${breaches.length === 0 ? 'held' : 'DID NOT HOLD'} after ${seconds(tookMs)}\n`,
    );
  }
  const broken = played.filter(({ breaches }) => breaches.length > 0);
  if (broken.length === 0) {
    await removeFolder(folder);
    return;
  }
  const names = broken.map(({ name }) => name).join(' ');
  process.stdout.write(`\nThe logs are in ${folder}. Again: pnpm test:chaos --seed ${extent.seed} ${names}\n`);
  process.exitCode = 1;
}

await main();
