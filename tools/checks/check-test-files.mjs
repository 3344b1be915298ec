// Fails with the test files that no command runs: those of no lane of vitest.config.ts, and with mutants whose text is gone.
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import configOf from '../../vitest.config.ts';
import { isApplicable, readTable, root } from '../mutants/table.mjs';

// The tests of the examples are run on the packed packages, by examples/run.mjs.
const TEST_FILES = ['*.test.ts', ':!examples'];

// Without a lane as its mode, it has the projects of all lanes.
const { projects } = configOf({ mode: '' }).test;
const run = new Set(projects.flatMap(({ test: { include, exclude } }) => globSync(include, { cwd: root, exclude })));
const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...TEST_FILES];
const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
const missed = files.filter((file) => !run.has(file));
if (missed.length > 0) {
  console.error(`No command runs these tests:\n${missed.join('\n')}`);
  process.exitCode = 1;
}

// The night breaks each text, which a change may have moved.
for (const { promise, part } of readTable().filter((row) => !isApplicable(row))) {
  console.error(`The text or test of a mutant is not there once: ${promise} (${part})`);
  process.exitCode = 1;
}
