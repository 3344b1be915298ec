/** The embedded PostgreSQL cannot be used. The message states the reason for the person who started the program. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
