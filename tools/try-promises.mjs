// Breaks each promise that a `promises.json` names, one at a time in a clone of the repository: its test must fail.
// With arguments, only the promises whose row contains one of them, and only what is committed.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The time after which a test that does not end counts as failed, in milliseconds. */
const RUN_MS_MAX = 1_200_000;
const root = join(import.meta.dirname, '..');
const clone = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'promises-'));
process.on('exit', () => rmSync(clone, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const run = (command, parameters) => execFileSync(command, parameters, { cwd: clone, encoding: 'utf8', stdio: 'pipe' });
run('git', ['clone', '--quiet', root, '.']);
run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline']);

const wanted = process.argv.slice(2);
const rows = run('git', ['ls-files', '*/promises.json'])
  .trim()
  .split('\n')
  .flatMap((file) => JSON.parse(readFileSync(join(clone, file), 'utf8')))
  .filter((row) => wanted.length === 0 || wanted.some((text) => JSON.stringify(row).includes(text)));

const failures = [];
const lanes = Object.groupBy(rows, ({ test }) => laneOf(test));
for (const [lane, { length }] of Object.entries(lanes)) {
  const tests = [...new Set(lanes[lane].map(({ test }) => test))];
  const { isGreen, output } = await runTests(lane, tests);
  if (!isGreen) failures.push(`Unbroken, of ${length} promises:\n${output}`);
}
for (const { promise, file, text, replacement, test } of failures.length === 0 ? rows : []) {
  const path = join(clone, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(text).length !== 2) {
    failures.push(`${promise}: ${file} has not once: ${text}`);
    continue;
  }
  writeFileSync(
    path,
    source.replace(text, () => replacement),
  );
  // A file that fails without a failed test was not broken, but made unreadable.
  const { isGreen, isRed, output } = await runTests(laneOf(test), [test]);
  writeFileSync(path, source);
  console.log(`${isRed ? 'caught' : 'MISSED'}  ${promise}`);
  if (!isRed) failures.push(`${promise}: ${test} passes with ${replacement} in ${file}\n${isGreen ? '' : output}`);
}
console.log(`${rows.length} promises.`);
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exitCode = 1;
}

function laneOf(test) {
  return /\.([a-z]+)\.test\.ts$/u.exec(test)?.[1] ?? 'test';
}

/** Runs tests in a group of processes, which ends after twenty minutes: a mistake may keep a test from ending. */
async function runTests(lane, tests) {
  const parameters = ['exec', 'vitest', 'run', '--mode', lane, '--bail', '1', ...tests];
  const child = spawn('pnpm', parameters, { cwd: clone, env: { ...process.env, NO_COLOR: '1' }, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (data) => (output += data));
  const { pid } = child;
  if (pid === undefined) throw new Error('pnpm cannot be started');
  const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), RUN_MS_MAX);
  const [status] = await once(child, 'close');
  clearTimeout(timer);
  const isRed = status === null || (status !== 0 && /Tests .*\d+ failed/u.test(output));
  return { isGreen: status === 0, isRed, output: output.split('\n').slice(-60).join('\n') };
}
