import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { FROM_TARBALLS, root, run } from './outside.mjs';

/** The examples that use the packages. Those that kill programs come first, because they take longest. */
export const EXAMPLES = [
  'receiver',
  'broker',
  'follower',
  'read-model',
  'own-table',
  'bakery',
  'rental',
  'nestjs',
  'custom-adapter',
  'fastify-plugin',
  'move',
];

/**
 * Installs the examples in a workspace of their own, with the tarballs where they have `workspace:`. Each finds there the
 * dependencies that it declares, and so does each package: nothing is hoisted.
 */
export function installExamples(work) {
  const workspace = join(work, 'examples');
  const files = execFileSync('git', ['ls-files', '-zco', '--exclude-standard', ...EXAMPLES], {
    cwd: join(root, 'examples'),
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    copyFileSync(join(root, 'examples', file), join(workspace, file));
  }
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  const settings = { packages: EXAMPLES, catalog, ...FROM_TARBALLS };
  // JSON is YAML.
  writeFileSync(join(workspace, 'pnpm-workspace.yaml'), JSON.stringify(settings));
  writeFileSync(join(workspace, 'package.json'), '{ "private": true }');
  console.log('\nexamples');
  run({ folder: workspace, work }, 'npx', '--yes', 'pnpm@12.21.0', '--silent', 'install', '--prefer-offline');
}

/**
 * The example that uses the most packages is compiled with all their declarations. For the others, which have the same
 * releases, that would take ten times as long as their own code.
 */
const WITH_DECLARATIONS = 'receiver';

/** Compiles and runs an example, which is installed. */
export function runExample(name, { work }) {
  const place = { folder: join(work, 'examples', name), work };
  console.log(`\n${name}`);
  run(place, 'tsc', '--noEmit', ...(name === WITH_DECLARATIONS ? [] : ['--skipLibCheck']));
  run(place, 'npm', 'start', '--silent');
}
