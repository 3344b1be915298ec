// Makes a folder with everything that a server needs on a machine without a container engine, and in the image:
//   pnpm bundle FOLDER
// The programs are bundles, which start in half of the CPU time. The packages stay, because static files, migrations and the
// thread that sends webhooks are found in them. Node.js is that of this repository, for this kind of machine.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundlePrograms } from '../../../tools/bundled-programs/src/index.ts';

if (process.argv.length !== 3) throw new Error('usage: pnpm bundle FOLDER');
const repository = resolve(import.meta.dirname, '../../..');
const folder = resolve(process.env.INIT_CWD ?? '.', process.argv[2]);
const pnpm = (...args) => execFileSync('pnpm', args, { cwd: repository, stdio: 'inherit' });

pnpm('--filter', '@orders/server...', 'run', 'build');
// Without development dependencies, and without the embedded PostgreSQL.
pnpm('--filter', '@orders/server', 'deploy', '--prod', '--no-optional', folder);
const [programs, bundled] = [join(folder, 'dist'), join(folder, 'bundled')];
await bundlePrograms(bundled, [join(programs, 'main.js'), join(programs, 'cli.js')]);
rmSync(programs, { recursive: true });
renameSync(bundled, programs);
// The sources of the packages are for debuggers and editors.
for (const name of globSync('node_modules/@orders/*', { cwd: folder }))
  rmSync(join(folder, name, 'src'), { recursive: true });
execFileSync(process.execPath, [join(repository, 'tools/installed.mjs'), '../apps/console', 'build'], {
  stdio: 'inherit',
});
cpSync(join(repository, 'apps/console/dist'), join(folder, 'console'), { recursive: true });
copyFileSync(process.execPath, join(folder, 'node'));
copyFileSync(join(repository, 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(join(import.meta.dirname, 'orders.service'), join(folder, 'orders.service'));
