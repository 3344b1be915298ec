// Breaks each promise that a `promises.json` names, one at a time in a clone of the repository: its test must fail.
// With arguments, only the promises whose row contains one of them, and only what is committed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  const { failed, output } = runTests(lane, tests);
  if (failed) failures.push(`Unbroken, of ${length} promises:\n${output}`);
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
  const { failed, hasFailedTest, output } = runTests(laneOf(test), [test]);
  const found = failed && hasFailedTest;
  writeFileSync(path, source);
  console.log(`${found ? 'caught' : 'MISSED'}  ${promise}`);
  if (!found) failures.push(`${promise}: ${test} passes with ${replacement} in ${file}\n${failed ? output : ''}`);
}
console.log(`${rows.length} promises.`);
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exitCode = 1;
}

function laneOf(test) {
  return /\.([a-z]+)\.test\.ts$/u.exec(test)?.[1] ?? 'test';
}

function runTests(lane, tests) {
  const parameters = ['exec', 'vitest', 'run', '--mode', lane, '--bail', '1', ...tests];
  const { status, stdout, stderr } = spawnSync('pnpm', parameters, {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 2 ** 28,
  });
  const output = stdout + stderr;
  const hasFailedTest = /Tests .*\d+ failed/u.test(output);
  return { failed: status !== 0, hasFailedTest, output: output.split('\n').slice(-60).join('\n') };
}
