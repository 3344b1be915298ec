import { createHash } from 'node:crypto';
import { Client } from 'pg';

/** The names of the statements that this program prepared, by text; the same for every database and connection. */
const NAMES = new Map<string, string>();

/** Gives a statement its name: PostgreSQL then parses and plans it once per connection, not once per call. */
export function nameStatement(text: string): void {
  NAMES.set(text, `orders_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`);
}

/** A connection that sends by name what has one. Kysely, which hands over text and values alone, cannot. */
export class NamingClient extends Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- the only type that meets all of pg's signatures of `query`
  override query(...call: unknown[]): any {
    const [text, values] = call;
    const name = typeof text === 'string' ? NAMES.get(text) : undefined;
    // oxlint-disable-next-line typescript/unbound-method -- it is bound here
    return Reflect.apply(super.query, this, name === undefined ? call : [{ name, text, values }]);
  }
}
