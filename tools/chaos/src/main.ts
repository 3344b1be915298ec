import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { type Played, play, seconds } from './play.ts';
import { hostileBodies } from './scenarios/hostile-bodies.ts';
import { hostileBulk } from './scenarios/hostile-bulk.ts';

/** All of them, in the order in which they are played. */
const SCENARIOS = [hostileBodies, hostileBulk];

/** `pnpm test:chaos [--full] [NAME…]`: plays hostile clients beside quiet owners, and exits with 1 after a breach. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false } },
});

async function main(): Promise<void> {
  const scenarios = SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  if (scenarios.length < positionals.length) {
    const names = SCENARIOS.map(({ name }) => name).join(', ');
    process.stderr.write(`the scenarios are ${names}\n`);
    process.exitCode = 1;
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-'));
  process.stdout.write(`logs in ${folder}\n`);
  const played: Played[] = [];
  // The child processes end with this one.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
      process.exit(130);
    });
  }
  for (const scenario of scenarios) played.push(await play(scenario, folder, values.full));
  process.stdout.write('\n');
  for (const { name, breaches, tookMs } of played) {
    process.stdout.write(
      `${name.padEnd(22)} ${breaches.length === 0 ? 'held' : 'DID NOT HOLD'} after ${seconds(tookMs)}\n`,
    );
  }
  if (played.every(({ breaches }) => breaches.length === 0)) {
    await removeFolder(folder);
    return;
  }
  process.stdout.write(`\nThe logs are in ${folder}.\n`);
  process.exitCode = 1;
}

await main();
