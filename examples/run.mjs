// Packs the packages and uses them as their users do, outside the workspace: checks the tarballs, then installs them
// with npm into a copy of each example, and into a folder for the code of each README, and compiles and runs it all.
//   node examples/run.mjs          everything
//   node examples/run.mjs NAME…    some of: embed-domain custom-adapter fastify-plugin readme readme-domain …
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const packages = ['domain', 'http-adapter', 'persistence'];
const subjects = {
  'embed-domain': example,
  'custom-adapter': example,
  'fastify-plugin': example,
  readme,
  ...Object.fromEntries(packages.map((name) => [`readme-${name}`, readme])),
};
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(subjects);

const PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
const work = mkdtempSync(join(tmpdir(), 'orders-packages-'));
// An embedded PostgreSQL runs as another account when we are root.
chmodSync(work, 0o711);

try {
  for (const name of packages) checkTarball(pack(join(root, 'packages', name), name));
  for (const name of wanted) subjects[name](name);
  console.log(`\nThe tarballs are clean, and ${wanted.join(', ')} run on them.`);
} finally {
  rmSync(work, { recursive: true });
}

function run(folder, command, ...args) {
  console.log(`  ${command} ${args.join(' ')}`.replaceAll(`${work}/`, ''));
  execFileSync(command, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, PATH } });
}

/** Packs the package in `folder`, once: pnpm puts versions where the workspace has `workspace:` and `catalog:`. */
function pack(folder, name) {
  if (existsSync(tarball(name))) return tarball(name);
  console.log(`\n${name}: pack`);
  const args = ['--yes', 'pnpm@12.21.0', '--silent', 'pack', '--out', tarball(name)];
  execFileSync('npx', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, PATH } });
  return tarball(name);
}

function tarball(name) {
  return join(work, `${name}.tgz`);
}

/** What the tarball offers resolves and has types, and it ships what runs, the schema and words about it: no more. */
function checkTarball(file) {
  run(work, 'publint', '--strict', file);
  run(work, 'attw', '--profile', 'esm-only', '--format', 'ascii', '--quiet', file);
  const files = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n');
  const extra = files.filter(
    (name) =>
      !/^package\/(package\.json|README\.md|LICENSE|dist\/(?!.*\.test\.).+\.(js|d\.ts)|(migrations\/[^/]+|distribute)\.sql|openapi\.json)$/.test(
        name,
      ),
  );
  if (extra.length > 0) throw new Error(`ships ${extra.join(', ')}`);
  if (!files.includes('package/README.md')) throw new Error('ships no README.md');
  const shipped = execFileSync('tar', ['xzOf', file], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const [workspaceOnly] =
    /"source":|"workspace:|"catalog:|(?:from |import\()['"]\.[^'"]*(?<!\.d)\.ts['"]/.exec(shipped) ?? [];
  if (workspaceOnly) throw new Error(`ships ${workspaceOnly}, which only the workspace has`);
}

/** Makes a folder with `files`, or all, of the packed example, and installs it with npm on the tarballs. */
function install(name, source, files, ...dependencies) {
  const folder = join(work, name);
  pack(join(root, 'examples', source), source);
  console.log(`\n${name}`);
  mkdirSync(folder);
  run(folder, 'tar', 'xzf', tarball(source), '--strip-components=1', ...files);
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...dependencies);
  return folder;
}

function example(name) {
  pack(join(root, 'examples', name), name);
  const ours = Object.keys(manifest(name).dependencies).filter((dependency) => dependency.startsWith('@orders/'));
  const folder = install(name, name, [], ...ours.map((dependency) => from(dependency)));
  run(folder, 'tsc', '--noEmit');
  run(folder, 'npm', 'start', '--silent');
}

/** Follows the README of a package, or of all: installs what it says, and runs each block of `ts` as a program. */
function readme(name) {
  const [, owner] = name.split(/-(.+)/);
  const text = readFileSync(join(root, owner ? `packages/${owner}` : '', 'README.md'), 'utf8');
  const { dependencies: needed, devDependencies } = owner ? manifest(owner) : {};
  const ranges = { ...needed, ...devDependencies };
  const dependencies = [...text.matchAll(/^npm install ([^#\n]+)/gm)].flatMap(([, names]) => names.trim().split(' '));
  const files = ['package/package.json', 'package/tsconfig.json'];
  const folder = install(name, 'embed-domain', files, ...dependencies.map((dependency) => from(dependency, ranges)));
  const programs = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  if (programs.length === 0) throw new Error(`${name}: no example`);
  for (const [index, code] of programs.entries()) writeFileSync(join(folder, `example-${index}.ts`), code);
  // The declarations of MikroORM have errors of their own.
  run(folder, 'tsc', '--noEmit', ...(owner === 'persistence' ? ['--skipLibCheck'] : []));
  for (const index of programs.keys()) run(folder, 'node', '--test-reporter=dot', `example-${index}.ts`);
}

/** Where npm is to take a dependency from: ours from the tarballs, others in the version that we develop with. */
function from(dependency, ranges) {
  if (dependency.startsWith('@orders/')) return tarball(dependency.replace('@orders/', ''));
  return dependency in ranges ? `${dependency}@${ranges[dependency]}` : dependency;
}

/** The manifest that a tarball holds. */
function manifest(name) {
  return JSON.parse(execFileSync('tar', ['xzOf', tarball(name), 'package/package.json'], { encoding: 'utf8' }));
}
