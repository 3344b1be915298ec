// Fails with the test files that no command runs: those of no lane of vitest.config.ts, and with promises whose text is gone.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import configOf from '../../vitest.config.ts';

const root = join(import.meta.dirname, '../..');
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
const promises = globSync('{apps,packages}/*/test/promises.json', { cwd: root }).flatMap((file) =>
  JSON.parse(readFileSync(join(root, file), 'utf8')),
);
const isOnce = ({ file, text, test }) =>
  [file, test].every((path) => existsSync(join(root, path))) &&
  readFileSync(join(root, file), 'utf8').split(text).length === 2;
for (const { promise, file } of promises.filter((row) => !isOnce(row))) {
  console.error(`The text or test of a promise is not there once: ${promise} (${file})`);
  process.exitCode = 1;
}
