// Simulates with a bug of seeded-bugs.ts, and prints each outcome once.
//   node --conditions=source seeded-bug.mjs search NAME
// prints the first seed that finds it, and what does not hold.
//   node --conditions=source seeded-bug.mjs replay NAME
// prints what does not hold in two runs of its seed, and a digest of the trace.
//   node --conditions=source seeded-bug.mjs without SIMULATION
// prints the same of the seeds of all its bugs, of which none is there.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SEEDED_BUGS, SIMULATIONS } from './seeded-bugs.ts';

/** More of them prove no more, unless the simulation depends on chance. */
const REPLAYS = 2;
/** More would take a search too long. */
const SEED_MAX = 100;
const root = join(import.meta.dirname, '../../../..');
const urlOf = (path) => pathToFileURL(join(root, path)).href;

const [mode, name] = process.argv.slice(2);
const bugs = SEEDED_BUGS.filter((bug) => (mode === 'without' ? bug.simulation : bug.name) === name);
if (mode !== 'without') bugs.map(seedBug);

const [path, optionsIn] = SIMULATIONS[bugs[0].simulation];
const optionsOf = optionsIn(await import(urlOf(path)));
// Only now: a bug may be in their files.
const { ORDERS } = await import('@orders/domain');
const { run } = await import('../../src/testing/simulation/run.ts');

const outcomes = new Set();
if (mode === 'search') outcomes.add(await found());
for (const seed of mode === 'search' ? [] : new Set(bugs.map((bug) => bug.seed)))
  for (let times = mode === 'replay' ? REPLAYS : 1; times > 0; times -= 1) outcomes.add(await outcomeOf(seed));
console.log(`[${[...outcomes].join(',\n')}]`);

/** Lets the loader replace a text, which must be there once, by a bug. */
function seedBug({ file, find, replace }) {
  const parts = readFileSync(join(root, file), 'utf8').split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times what the bug replaces`);
  const seeded = urlOf(file);
  registerHooks({
    load: (url, context, next) =>
      url === seeded ? { ...next(url, context), source: parts.join(replace) } : next(url, context),
  });
}

/** Looks for a failure from seed 1. */
async function found() {
  for (let seed = 1; seed <= SEED_MAX; seed += 1) {
    const { failure } = await run({ ...settingsOf(seed), faults: null, isTraced: false });
    if (failure) return JSON.stringify({ condition: failure.name, seed });
  }
  return 'null';
}

async function outcomeOf(seed) {
  const { failure, trace } = await run({ ...settingsOf(seed), faults: null, isTraced: true });
  const digest = createHash('sha256').update(trace.join('\n')).digest('hex');
  return JSON.stringify({ condition: failure?.name ?? null, digest });
}

/** Returns the options of a run, with the defaults of `simulate`. */
function settingsOf(seed) {
  return { definition: ORDERS, eventually: {}, operations: 30, settleMs: 3_600_000, ...optionsOf(seed), seed };
}
