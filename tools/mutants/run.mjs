// Breaks the code on purpose, by one mutant at a time in clones of the repository: its tests must fail.
//   node tools/mutants/run.mjs [TEXT…]           the mutants of the table, or those whose row has one of the texts
//   node tools/mutants/run.mjs --changed COMMIT  those of files, tests and parts of the table that have changed since
//   node tools/mutants/run.mjs --random COUNT [--seed SEED] PACKAGE…
//                                                random mutants of packages, which any of their tests may find
// It breaks what is committed, in `--clones` at a time, by default two.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawMutants } from './random.mjs';
import { CONTRACTS, isApplicable, mutated, readTable, root } from './table.mjs';

/** The time after which a run that does not end counts as failed, in milliseconds. */
const RUN_MS_MAX = 1_200_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'string' },
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    clones: { type: 'string', default: '2' },
  },
});
const rows = options.random
  ? drawMutants(positionals, Number(options.random), options.seed)
  : readTable().filter(options.changed ? hasChangedSince(options.changed) : hasOneOf(positionals));
const mutants = rows.filter(isApplicable);
const stale = rows.filter((row) => !isApplicable(row)).map(({ promise }) => `The text or test is gone: ${promise}`);
const failures = [];

const work = mkdtempSync(join(tmpdir(), 'mutants-'));
const groups = new Set();
process.on('exit', () => {
  for (const group of groups) process.kill(-group, 'SIGKILL');
  rmSync(work, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const clones = Array.from({ length: Number(options.clones) }, (_, index) => {
  const clone = join(work, `${index}`);
  execFileSync('git', ['clone', '--quiet', root, clone]);
  execFileSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], { cwd: clone });
  return clone;
});

let caught = 0;
/** The tests of contracts that no mutant has failed. Adapters outside of the repository rely on each of them. */
const idle = new Set();
const lanes = Object.groupBy(new Set(mutants.flatMap(({ tests }) => tests)), laneOf);
await inEachClone(Object.entries(lanes), async (clone, [lane, tests]) => {
  const { isGreen, output, results } = await start(clone, lane, tests);
  if (!isGreen) failures.push(`Without a mutant:\n${output}`);
  for (const { file, fullName } of results) if (file.endsWith(CONTRACTS)) idle.add(fullName);
});
if (failures.length === 0) await inEachClone(mutants, tryMutant);
console.log(`${caught} of ${mutants.length} mutants are caught.`);
const isWhole = !options.changed && positionals.length === 0;
if (isWhole) failures.push(...[...idle].map((name) => `No mutant fails this test of a contract: ${name}`));
if (failures.push(...stale) > 0) {
  console.error(failures.join('\n'));
  process.exitCode = 1;
}

function laneOf(test) {
  return test.endsWith('.test.ts') ? (/\.([a-z]+)\.test\.ts$/u.exec(test)?.[1] ?? 'test') : 'check';
}

function hasOneOf(texts) {
  return (row) => texts.length === 0 || texts.some((text) => JSON.stringify(row).includes(text));
}

function hasChangedSince(commit) {
  const changed = execFileSync('git', ['diff', '--name-only', commit], { cwd: root, encoding: 'utf8' }).split('\n');
  return ({ file, test, part }) => [file, test, part].some((path) => changed.includes(path));
}

/** Does something with each of `all`, in a clone that is free. */
async function inEachClone(all, use) {
  const left = all.values();
  await Promise.all(
    clones.map(async (clone) => {
      for (const one of left) await use(clone, one);
    }),
  );
}

async function tryMutant(clone, { promise, file, tests, says, ...mutant }) {
  const path = join(clone, file);
  const source = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  writeFileSync(path, mutated(source, mutant));
  let run;
  for (const test of tests) {
    run = await start(clone, laneOf(test), [test], says);
    for (const { fullName } of run.failed) idle.delete(fullName);
    if (run.isRed) break;
  }
  if (source === undefined) rmSync(path);
  else writeFileSync(path, source);
  console.log(`${run.isRed ? 'caught' : 'MISSED'}  ${promise}`);
  if (run.isRed) caught += 1;
  else failures.push(`Not caught in ${file} by ${tests.at(-1)}: ${promise}\n${run.isGreen ? '' : run.output}`);
}

/** Runs files of tests, or scripts of tools/checks. What a mutant keeps from ending counts as failed. */
async function start(clone, lane, tests, says = []) {
  const report = join(clone, 'reports/mutant.json');
  rmSync(report, { force: true });
  const check = ['tools/installed.mjs', 'checks', '--no-bail', `/^(${tests.join('|')})$/`];
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile', report];
  const filters = ['--passWithNoTests', ...tests.map((test) => test.replace(/\*.*/, ''))];
  const bail = tests.includes(CONTRACTS) ? '0' : '1';
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--mode', lane, '--bail', bail, ...reporters, ...filters];
  const { status, output } = await execute(clone, lane === 'check' ? check : vitest);
  const files = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
  const results = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((one) => ({ ...one, file: name })),
  );
  const failed = results.filter((one) => one.status === 'failed');
  // A file that fails without a failed test was not broken, but made unreadable, which no random mutant does.
  const isFailed = lane === 'check' || options.random ? status !== 0 : failed.length > 0;
  const messages = failed.flatMap(({ fullName, failureMessages }) => [fullName, ...failureMessages]);
  const said = lane === 'check' ? output : messages.join('\n');
  const isRed = status === null || (isFailed && [says].flat().every((text) => said.includes(text)));
  return { isGreen: status === 0, isRed, results, failed, output: output.split('\n').slice(-60).join('\n') };
}

/** Runs a program in a group of processes, which ends after some time. */
async function execute(cwd, parameters) {
  const env = { ...process.env, NO_COLOR: '1' };
  const child = spawn(process.execPath, parameters, { cwd, env, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (data) => (output += data));
  const { pid } = child;
  if (pid === undefined) throw new Error('Node.js cannot be started');
  groups.add(pid);
  const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), RUN_MS_MAX);
  const [status] = await once(child, 'close');
  clearTimeout(timer);
  groups.delete(pid);
  return { status, output };
}
