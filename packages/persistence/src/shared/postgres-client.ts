import { createHash } from 'node:crypto';
import { Client } from 'pg';

/** The names of the statements that this program prepared, by text; the same for every database and connection. */
const NAMES = new Map<string, string>();

/** Gives a statement its name: PostgreSQL then parses and plans it once per connection, not once per call. */
export function nameStatement(text: string): void {
  NAMES.set(text, `orders_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`);
}

/**
 * The connections of a pool. They send by name what has one, if `named`: Kysely, which hands over text and values alone,
 * cannot. And they end when PostgreSQL says that it ends them, or says nothing for too long: pg would hand them out again
 * until it sees the socket go.
 */
export function postgresClient({ named }: { readonly named: boolean }): typeof Client {
  return class PostgresClient extends Client {
    // oxlint-disable-next-line typescript/no-explicit-any -- the only type that meets all of pg's signatures of `query`
    override query(...call: unknown[]): any {
      const [text, values] = call;
      const name = named && typeof text === 'string' ? NAMES.get(text) : undefined;
      // oxlint-disable-next-line typescript/unbound-method -- it is bound here
      const sent: unknown = Reflect.apply(super.query, this, name === undefined ? call : [{ name, text, values }]);
      if (!(sent instanceof Promise)) return sent;
      return sent.catch((cause: unknown) => {
        if (isFatal(cause) || isSilence(cause)) void this.end();
        throw cause;
      });
    }
  };
}

/** Whether an answer did not come in time. What was sent may be carried out, and its answer would be taken for another. */
function isSilence(cause: unknown): boolean {
  return cause instanceof Error && cause.message === 'Query read timeout';
}

/** Whether PostgreSQL says with an error that the session is over. */
function isFatal(cause: unknown): boolean {
  return cause instanceof Error && 'severity' in cause && (cause.severity === 'FATAL' || cause.severity === 'PANIC');
}
