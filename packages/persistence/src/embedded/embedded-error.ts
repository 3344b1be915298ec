/** The embedded PostgreSQL cannot be had; the message says why, for the person who started the program. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
