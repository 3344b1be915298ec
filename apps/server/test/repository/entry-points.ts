import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../../../../packages');

/** An entry point of a published package. */
interface EntryPoint {
  /** What its users import, such as `@orders/domain/events`. */
  readonly specifier: string;
  /** Absolute path of its source. */
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly source: string }>>;
}

/** Returns every entry point with code that the manifests of the packages declare. */
export function entryPoints(): readonly EntryPoint[] {
  return readdirSync(packages).flatMap((folder) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the manifests of this repository
    const manifest = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8')) as Manifest;
    return Object.entries(manifest.exports).flatMap(([path, target]) =>
      typeof target === 'string'
        ? []
        : [{ specifier: join(manifest.name, path), source: join(packages, folder, target.source) }],
    );
  });
}
