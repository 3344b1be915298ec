import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { from, manifest, npmProject, oldestNode, outputOf, packages, pnpmProject, root, run } from './outside.mjs';

/** The README of all, and that of each package. */
export const READMES = ['readme', ...packages.map((name) => `readme-${name}`)];
/** Those whose programs run on the oldest release of Node.js that the packages support, too. */
const ALSO_ON_OLDEST = ['readme', 'readme-persistence', 'readme-webhooks', 'readme-client'];

/** Installs the oldest release of Node.js once for all who need it. */
export function installOldestNode(work) {
  npmProject('oldest-node', work, { 'package.json': '{ "private": true }' }, `node-oldest@npm:node@${oldestNode()}`);
}

/**
 * Follows the README of a package, or of all: installs what it says, and runs each block of `ts` as a program. The block of
 * `text` after it is what it prints.
 */
export function followReadme(name, { work }) {
  const [, owner] = name.split(/-(.+)/);
  const text = readFileSync(join(root, owner ? `packages/${owner}` : '', 'README.md'), 'utf8');
  const { dependencies: needed, devDependencies } = owner ? manifest(owner) : {};
  const ranges = { ...needed, ...devDependencies };
  const dependencies = [...text.matchAll(/^npm install ([^#\n]+)/gm)].flatMap(([, names]) => names.trim().split(' '));
  const needs = dependencies.map((dependency) => from(dependency, ranges));
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```$(?:[^`]*(?:^```sh\n[^`]*^```$\s*)?^```text\n(.*?)^```$)?/gms)];
  const examples = blocks.map(([, code, printed], index) => ({ program: `example-${index}.ts`, code, printed }));
  if (examples.length === 0) throw new Error(`${name}: no example`);
  const files = {
    'package.json': '{ "private": true, "type": "module" }',
    'tsconfig.json': readFileSync(join(root, 'examples/follower/tsconfig.json'), 'utf8'),
    ...Object.fromEntries(examples.map(({ program, code }) => [program, code])),
  };
  const place = pnpmProject(name, work, files, ...needs, '@types/node');
  run(place, 'tsc', '--noEmit', '--skipLibCheck');
  const oldest = join(work, 'oldest-node/node_modules/node-oldest/bin/node');
  for (const node of ALSO_ON_OLDEST.includes(name) ? ['node', oldest] : ['node'])
    for (const { program, printed } of examples) {
      const output = outputOf(place, node, '--test-reporter=dot', program);
      if (printed !== undefined && output !== printed) throw new Error(`${program} prints ${output}, not ${printed}`);
    }
}
