// Packs the packages and uses them as their users do, outside the workspace. Checks the tarballs, and runs on them the
// examples, the code of each README, and the pages of docs.
//   node examples/run.mjs          everything
//   node examples/run.mjs NAME…    some of: the name of an example, readme readme-domain … hosts commonjs jest browser
//                                  tools, and the pages README, tutorial and each guide, which are followed in one clone
//
// With `--pack` it only packs the packages and checks the tarballs. With `--packed` it takes the tarballs that are there.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EXAMPLES, installExamples, runExample } from './checks/examples.mjs';
import { followPages, PAGES } from './checks/follow-page.mjs';
import { followReadme, installOldestNode, READMES } from './checks/follow-readme.mjs';
import { forTools } from './checks/for-tools.mjs';
import { inBrowserBundle } from './checks/in-browser-bundle.mjs';
import { inCommonJs } from './checks/in-commonjs.mjs';
import { packAndCheck } from './checks/pack-and-check.mjs';
import { quickNpx, root } from './checks/outside.mjs';
import { underHosts } from './checks/under-hosts.mjs';
import { underJest } from './checks/under-jest.mjs';

// What takes longest comes first: what is left at the end has one processor.
const subjects = {
  ...Object.fromEntries(EXAMPLES.map((name) => [name, runExample])),
  pages: followPages,
  ...Object.fromEntries(READMES.map((name) => [name, followReadme])),
  hosts: underHosts,
  commonjs: inCommonJs,
  jest: underJest,
  browser: inBrowserBundle,
  tools: forTools,
};
const [PACK, PACKED, ONE] = ['--pack', '--packed', '--one'];
const given = process.argv.slice(2);
const [mode, names] = given[0]?.startsWith('--') ? [given[0], given.slice(1)] : [undefined, given];

if (mode === ONE) {
  const [work, name, ...pages] = names;
  await subjects[name](pages.length > 0 ? pages : name, { work });
} else {
  if (mode !== PACKED) packAndCheck();
  if (mode !== PACK) await tryAll(names.length > 0 ? names : [...Object.keys(PAGES), ...Object.keys(subjects)]);
}

/** Tries the subjects, each in a process of its own, as many at a time as there are processors. */
async function tryAll(names) {
  const unknown = names.filter((name) => !Object.hasOwn(subjects, name) && !Object.hasOwn(PAGES, name));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`);
  const work = mkdtempSync(join(tmpdir(), 'orders-packages-'));
  // An embedded PostgreSQL runs as another account when we are root.
  chmodSync(work, 0o711);
  try {
    // The README installs from the folder of a clone above that of the program.
    symlinkSync(join(root, 'packed'), join(work, 'packed'));
    quickNpx(work);
    if (names.some((name) => EXAMPLES.includes(name))) installExamples(work);
    if (names.some((name) => READMES.includes(name))) installOldestNode(work);
    const pages = Object.keys(PAGES).filter((name) => names.includes(name));
    const others = names.filter((name) => Object.hasOwn(subjects, name)).map((name) => [name]);
    const waiting = [...(pages.length > 0 ? [['pages', ...pages]] : []), ...others];
    const failed = [];
    const worker = async () => {
      for (let group = waiting.shift(); group; group = waiting.shift()) {
        const outcome = await outcomeOf(work, ...group);
        if (outcome.isError) failed.push({ name: group[0], ...outcome });
        else console.log(outcome.printed);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    // Last, where a reader of the whole output looks first.
    for (const { printed } of failed) console.log(printed);
    if (failed.length > 0) throw new Error(`failed: ${failed.map(({ name }) => name).join(', ')}`);
    console.log(`\n${names.join(', ')} run on the tarballs.`);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Tries a subject, or pages in their order, and returns what it printed. */
async function outcomeOf(work, name, ...pages) {
  const began = performance.now();
  const outcome = await promisify(execFile)(process.execPath, [import.meta.filename, ONE, work, name, ...pages], {
    maxBuffer: Infinity,
  }).catch((error) => error);
  const took = `${name}: ${Math.round((performance.now() - began) / 1000)} s`;
  return { printed: `${outcome.stdout}${outcome.stderr}\n${took}`, isError: outcome instanceof Error };
}
