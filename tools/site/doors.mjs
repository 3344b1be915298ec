import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/**
 * The doors of the packages, as their manifests have them: by the name of its page, the import of each and its source.
 */
export const DOORS = Object.fromEntries(
  globSync('packages/*/package.json', { cwd: root })
    .toSorted()
    .flatMap((manifest) => {
      const folder = dirname(manifest);
      const { name, exports } = JSON.parse(readFileSync(join(root, manifest), 'utf8'));
      const doors = Object.entries(exports).filter(([, { source }]) => source !== undefined);
      return doors.map(([path, { source }]) => [
        basename(folder) + path.slice(1).replaceAll('/', '-'),
        [name + path.slice(1), join(folder, source)],
      ]);
    }),
);

/** The generated page of a file, which documents link to instead, because the forge does not have the page. */
export const PAGES = new Map([
  ...Object.entries(DOORS).map(([name, [, source]]) => [source, `reference/exports/${name}.md`]),
  ['packages/persistence/migrations/0001-baseline.sql', 'reference/schema.md'],
]);
