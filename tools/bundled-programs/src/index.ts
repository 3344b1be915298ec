import { basename, extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** Programs in a folder of their own, which the caller deletes. */
export interface BundledPrograms {
  /** The bundled files, by the names of their scripts, such as `main.ts`. */
  readonly files: Readonly<Record<string, string>>;
  /** Environment in which they start: with a compile cache in the folder. */
  readonly env: { readonly NODE_COMPILE_CACHE: string };
}

/** Stands for the module of Node.js. */
const HTTP = 'lazy:http';

/**
 * Bundles scripts of the workspace, and all that they import, into `folder`. To find and read some 1,700 modules takes half of
 * the CPU time of a start. Programs that tests start only once, and those of users in a clone, run from their sources.
 *
 * Compiled scripts, as those of an image, may be moved together with the folder and their packages.
 */
export async function bundlePrograms(folder: string, scripts: readonly string[]): Promise<BundledPrograms> {
  const names = scripts.map((script) => basename(script, extname(script)));
  const isCompiled = scripts.every((script) => script.endsWith('.js'));
  const urlOf = (id: string) =>
    isCompiled
      ? `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`
      : JSON.stringify(pathToFileURL(id).href);
  const bundle = await rolldown({
    input: Object.fromEntries(scripts.map((script, at) => [names[at] ?? '', script])),
    platform: 'node',
    resolve: { conditionNames: isCompiled ? ['node'] : ['source', 'node'] },
    // Optional, and loaded by pg and MikroORM only on request.
    external: ['pg-native', 'pg-cloudflare', 'tinyglobby'],
    plugins: [
      {
        // Migrations and static files are found beside the modules that name them.
        name: 'urls of modules',
        transform: {
          filter: { id: /\/(src|dist)\/.*\.[jt]s$/, code: 'import.meta.url' },
          handler: (code, id) => code.replaceAll('import.meta.url', urlOf(id)),
        },
      },
      {
        // An import evaluates all exports, of which one is the client of `fetch`: 8 MB.
        name: 'HTTP without WebSocket',
        resolveId: { filter: { id: /^(?:node:)?http$/ }, handler: () => HTTP },
        load: {
          filter: { id: /^lazy:http$/ },
          handler: () => `module.exports = process.getBuiltinModule('node:http');`,
        },
      },
      {
        // V8 keeps a text with one further character in two bytes for each.
        name: 'Latin-1',
        renderChunk: (code) =>
          code.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
      },
    ],
  });
  // A command that imports an index late would otherwise load every chunk that has a part of it, those of the server included.
  const own = /(?:packages|@orders)\/(?:domain|persistence)\/(?:src|dist)\//;
  await bundle.write({ dir: folder, codeSplitting: { groups: [{ name: 'own', test: own, entriesAware: true }] } });
  await bundle.close();
  return {
    files: Object.fromEntries(names.map((name) => [`${name}.ts`, join(folder, `${name}.js`)])),
    env: { NODE_COMPILE_CACHE: join(folder, 'compile-cache') },
  };
}
