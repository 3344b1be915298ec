/** The PostgreSQL releases for the tests: the oldest supported one, and the embedded one. */
export type Release = 15 | 18;

/** A PostgreSQL to run tests on. */
export interface TestPostgres {
  /** The connection URL, with a role that may create databases. */
  readonly url: string;
  /** The location of the server, for the output. */
  readonly where: string;
  stop(): Promise<void>;
}

/** PostgreSQL settings for temporary data, which need not be durable. */
export const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
