// Fails with the test files that no command runs: neither `pnpm test` nor `test:deep`, `test:redis`, `test:balancer` or
// `test:citus`.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';

const root = join(import.meta.dirname, '..');
const names = ['', 'deep.', 'redis.', 'balancer.', 'citus.'];
const configs = names.map((name) => `vitest.${name}config.ts`);
// The tests of the examples are run on the packed packages, by examples/run.mjs.
const TEST_FILES = ['*.test.ts', ':!examples'];

const run = new Set();
for (const config of configs) {
  const vitest = await createVitest('test', { root, config, watch: false });
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
