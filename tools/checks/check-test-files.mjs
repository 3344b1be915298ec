// Fails with the test files that no command runs: those of no lane of vitest.config.ts.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';

const root = join(import.meta.dirname, '../..');
const LANES = ['test', 'deep', 'nightly', 'redis', 'balancer', 'citus'];
// The tests of the examples are run on the packed packages, by examples/run.mjs.
const TEST_FILES = ['*.test.ts', ':!examples'];

const run = new Set();
for (const mode of LANES) {
  const vitest = await createVitest('test', { root, mode, watch: false });
  for (const { moduleId } of await vitest.globTestSpecifications()) run.add(moduleId);
  await vitest.close();
}
const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...TEST_FILES];
const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
const missed = files.filter((file) => !run.has(join(root, file)));
if (missed.length > 0) {
  console.error(`No command runs these tests:\n${missed.join('\n')}`);
  process.exitCode = 1;
} else {
  console.log(`${files.length} test files, each run by a command.`);
}
