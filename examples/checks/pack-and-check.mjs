import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { checks, packages, root, run, tarball } from './outside.mjs';

/**
 * Little more than the packages have, so that a change that makes one larger is noticed: 3 %, because what zlib makes of
 * the same files depends on the processor.
 */
const PACKED_BYTES_MAX = {
  client: 124_000,
  domain: 785_000,
  'http-adapter': 622_000,
  persistence: 640_000,
  webhooks: 75_000,
};
const SHIPPED =
  /^package\/(package\.json|README\.md|LICENSE|dist\/.+\.(js|d\.ts)(\.map)?|src\/(?!.*\.test\.).+\.ts|(migrations\/[^/]+|distribute)\.sql|openapi\.json)$/;

/** Packs the packages as a release does, and checks each tarball. */
export function packAndCheck() {
  const pnpm = ['npx', '--yes', 'pnpm@12.21.0'];
  run({ folder: checks }, ...pnpm, 'install', '--frozen-lockfile', '--prefer-offline');
  run({ folder: root }, ...pnpm, 'pack:all');
  for (const name of packages) checkTarball(name, tarball(name));
  console.log('\nThe tarballs are clean.');
}

/** What the tarball offers resolves and has types, and it ships what runs, the schema and words about it: no more. */
function checkTarball(name, file) {
  run({ folder: root }, 'publint', '--strict', file);
  run({ folder: root }, 'attw', '--profile', 'esm-only', '--format', 'ascii', '--quiet', file);
  const files = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n');
  const extra = files.filter((path) => !SHIPPED.test(path));
  if (extra.length > 0) throw new Error(`ships ${extra.join(', ')}`);
  if (!files.includes('package/README.md')) throw new Error('ships no README.md');
  const bytes = statSync(file).size;
  console.log(`  ${name}: ${files.length} files, ${bytes} of at most ${PACKED_BYTES_MAX[name]} bytes`);
  if (bytes > PACKED_BYTES_MAX[name]) throw new Error(`${name} is too large`);
  // Debuggers and editors lead from both to the source.
  const sourceOf = (path) => path.replace('/dist/', '/src/').replace(/(\.d)?\.[jt]s$/, '.ts');
  const unmapped = files.filter(
    (path) => /\/dist\/.*\.[jt]s$/.test(path) && !(files.includes(`${path}.map`) && files.includes(sourceOf(path))),
  );
  if (unmapped.length > 0) throw new Error(`ships no map or source of ${unmapped.join(', ')}`);
  const readme = execFileSync('tar', ['xzOf', file, 'package/README.md'], { encoding: 'utf8' });
  const [, lost] = /\]\((?!https:|#)([^)]*)\)/.exec(readme) ?? [];
  if (lost) throw new Error(`README.md links to ${lost}, which is not in the package`);
  // The sources are as the workspace has them.
  const options = ['--exclude=*.map', '--exclude=package/src'];
  const shipped = execFileSync('tar', ['xzOf', file, ...options], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const [workspaceOnly] =
    /"source":|"workspace:|"catalog:|(?:from |import\()['"]\.[^'"]*(?<!\.d)\.ts['"]/.exec(shipped) ?? [];
  if (workspaceOnly) throw new Error(`ships ${workspaceOnly}, which only the workspace has`);
}
