/** The releases of PostgreSQL that the tests run on: the oldest that is supported, and the one that is embedded. */
export type Release = 15 | 18;

/** A PostgreSQL to run tests on. */
export interface TestPostgres {
  /** How to connect, as a role that may make databases. */
  readonly url: string;
  /** Where it runs, for the person who reads the output. */
  readonly where: string;
  stop(): Promise<void>;
}

/** PostgreSQL settings for data that is thrown away: nothing is gained by waiting for the disk. */
export const FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
