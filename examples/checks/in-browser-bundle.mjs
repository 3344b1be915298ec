import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmProject, run, tarball } from './outside.mjs';

/** The version that is known to work. */
const ESBUILD = 'esbuild@0.28.2';

/** Bundles the store in memory, and the whole kit, for browsers: without a module of Node.js, and only what is used. */
export function inBrowserBundle(name, { work }) {
  const store = `import { inMemoryStore } from '@orders/domain/testing'; globalThis.store = inMemoryStore();`;
  const kit = `import * as kit from '@orders/domain/testing'; globalThis.kit = kit;`;
  const files = { 'package.json': '{ "private": true, "type": "module" }', 'store.js': store, 'kit.js': kit };
  const place = npmProject(name, work, files, tarball('domain'), ESBUILD);
  for (const entry of ['store', 'kit']) {
    const options = ['--bundle', '--minify', '--platform=browser', '--format=esm', '--log-level=error'];
    run(place, 'node_modules/.bin/esbuild', `${entry}.js`, ...options, `--outfile=${entry}.bundle.js`);
  }
  const bundled = readFileSync(join(place.folder, 'store.bundle.js'), 'utf8');
  if (/AssertionError/.test(bundled))
    throw new Error('the store in memory brings the assertions of the contracts along');
}
