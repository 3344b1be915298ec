import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { leftRunning } from './processes/program.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { type Played, play, stopPlaying } from './play.ts';
import { seconds } from './progress.ts';

const COLUMNS = ['operations', 'requests', 'sent again', 'replayed', '5xx', 'p50, slowest'] as const;

/**
 * `pnpm test:chaos [--full] [--operations N] [--seed N] [--hostile | --no-hostile] [NAME…]`: injects faults into the
 * dependencies of servers while clients use them, and exits with 1 after a breach. `--hostile` runs only the scenarios of
 * hostile clients, which compare latencies. `--no-hostile` runs all others, which hold on a busy machine.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    full: { type: 'boolean', default: false },
    hostile: { type: 'boolean' },
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
  const scenarios = SCENARIOS.filter(
    ({ name }) =>
      (positionals.length === 0 || positionals.includes(name)) &&
      (values.hostile === undefined || values.hostile === name.startsWith('hostile-')),
  );
  const extent = {
    operations: Number(values.operations ?? (values.full ? 5000 : 1000)),
    full: values.full,
    seed: Number(values.seed ?? Math.floor(Math.random() * 1_000_000)),
  };
  const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-'));
  process.stdout.write(`seed ${extent.seed}, ${extent.operations} operations each, logs in ${folder}\n`);
  const played: Played[] = [];
  const brokenOff = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      brokenOff.abort();
      void breakOff(folder);
    });
  }
  for (const scenario of scenarios) {
    if (!brokenOff.signal.aborted) played.push(await play(scenario, folder, extent));
  }
  for (const shared of ['cluster', 'programs']) await removeFolder(join(folder, shared));
  writeTable(played);
  const left = leftRunning();
  if (left.length > 0) process.stdout.write(`still running: ${left.join(', ')}\n`);
  const broken = played.filter(({ breaches }) => breaches.length > 0);
  if (broken.length === 0 && left.length === 0) {
    await removeFolder(folder);
    return;
  }
  const names = broken.map(({ name }) => name).join(' ');
  process.stdout.write(`\nThe logs are in ${folder}. Again: pnpm test:chaos --seed ${extent.seed} ${names}\n`);
  process.exitCode = 1;
}

/** One line for each scenario. */
function writeTable(played: readonly Played[]): void {
  const rows = [
    ['scenario', 'held', 'took', ...COLUMNS],
    ...played.map(({ name, breaches, tookMs, figures }) => {
      const held = breaches.length === 0 ? 'yes' : 'NO';
      return [name, held, seconds(tookMs), ...COLUMNS.map((column) => figures.get(column) ?? '')];
    }),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  process.stdout.write('\n');
  for (const row of rows) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

/** Stops everything cleanly, as far as possible; the rest ends with this program. */
async function breakOff(folder: string): Promise<void> {
  try {
    await stopPlaying();
    await removeFolder(folder);
  } finally {
    process.exit(130);
  }
}

await main();
