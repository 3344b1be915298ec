// Installs a folder of tools, which has a lockfile of its own because `start` and `test` do without it, and runs a script of it.
//   node tools/installed.mjs FOLDER SCRIPT [ARGUMENT…]
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

// The scripts say `node`, and mean the one that runs this file, also where the shell finds another.
process.env.PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

const [folder, ...script] = process.argv.slice(2);
const pnpm = (...args) => {
  const { status } = spawnSync('pnpm', ['--dir', join(import.meta.dirname, folder), ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
pnpm('install', '--frozen-lockfile', '--prefer-offline', '--reporter=silent');
if (script.length > 0) pnpm('run', ...script);
