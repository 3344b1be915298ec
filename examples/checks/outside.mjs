// What the checks of the packages share: the tarballs, and folders outside the workspace in which npm installs them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
/** With a lockfile of their own; see tools/linters. */
export const linters = join(root, 'tools/linters');
export const packages = ['client', 'domain', 'http-adapter', 'persistence', 'webhooks'];

const bins = [root, linters].map((folder) => join(folder, 'node_modules/.bin'));
const PATH = [...bins, process.env.PATH].join(delimiter);

/** The environment of programs that run for the checks in `work`: with the tools of the workspace, and a compile cache. */
export function environment(work) {
  return { ...process.env, PATH, ...(work && { NODE_COMPILE_CACHE: join(work, 'compile-cache') }) };
}

/** Runs a command in a folder and shows both; fails when the command does. */
export function run({ folder, work }, command, ...args) {
  console.log(`  ${command} ${args.join(' ')}`.replaceAll(`${work}/`, ''));
  execFileSync(command, args, { cwd: folder, stdio: 'inherit', env: environment(work) });
}

/** Makes a folder of its own with `files`, by their names, in which npm installs `dependencies`. */
export function project(name, work, files, ...dependencies) {
  const folder = join(work, name);
  console.log(`\n${name}`);
  mkdirSync(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  const place = { folder, work };
  run(place, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...dependencies);
  return place;
}

export function tarball(name) {
  return join(root, 'packed', `orders-${name}.tgz`);
}

/** The manifest that a tarball holds. */
export function manifest(name) {
  return JSON.parse(execFileSync('tar', ['xzOf', tarball(name), 'package/package.json'], { encoding: 'utf8' }));
}

/** Where npm is to take a dependency from: ours from the tarballs, others in the version that we develop with. */
export function from(dependency, ranges) {
  if (dependency.startsWith('@orders/')) return tarball(dependency.replace('@orders/', ''));
  return dependency in ranges ? `${dependency}@${ranges[dependency]}` : dependency;
}
