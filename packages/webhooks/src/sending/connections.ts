import type { Target } from '../targets/webhook-targets.ts';
import { Connection, type ConnectionEvents, type ConnectionSettings } from './connection.ts';

/**
 * Time after which a connection has no further request, in milliseconds. The next one looks up the name again, so that it
 * follows a change of DNS.
 */
export const CONNECTION_AGE_MAX_MS = 30_000;

/** The open connections of a sender: at most `max`, used again while they are young. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #max: number;
  readonly #open = new Set<Connection>();
  /** Those whose attempt has ended, the one that ended first in front. They are closed to make room. */
  readonly #spare = new Set<Connection>();
  readonly #idle = new Map<string, Connection[]>();
  readonly #events: ConnectionEvents;

  constructor(settings: ConnectionSettings, max: number) {
    this.#settings = settings;
    this.#max = max;
    this.#events = {
      responded: (connection) => void this.#spare.add(connection),
      freed: (connection) => this.#keep(connection),
      closed: (connection) => this.#drop(connection),
    };
  }

  /** Returns a connection to the target that has had requests before, or else a new one. See {@link open}. */
  take(target: Target): Connection | undefined {
    // From the map each time: the end of a connection replaces the list, in which the next one would stay.
    const next = () => this.#idle.get(target.url.origin)?.pop();
    for (let connection = next(); connection; connection = next()) {
      if (performance.now() - connection.createdAt <= CONNECTION_AGE_MAX_MS) {
        this.#spare.delete(connection);
        return connection;
      }
      connection.destroy();
    }
    return this.open(target);
  }

  /** Returns a new connection, or `undefined` when the maximum number of attempts has one. */
  open(target: Target): Connection | undefined {
    if (this.#open.size >= this.#max) {
      const [oldest] = this.#spare;
      if (!oldest) return undefined;
      oldest.destroy();
    }
    const connection = new Connection(target, this.#settings, this.#events);
    this.#open.add(connection);
    return connection;
  }

  /** Closes all connections at once. */
  close(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #keep(connection: Connection): void {
    const idle = this.#idle.get(connection.origin);
    if (idle) idle.push(connection);
    else this.#idle.set(connection.origin, [connection]);
  }

  #drop(connection: Connection): void {
    this.#open.delete(connection);
    this.#spare.delete(connection);
    const idle = this.#idle.get(connection.origin)?.filter((each) => each !== connection) ?? [];
    if (idle.length > 0) this.#idle.set(connection.origin, idle);
    else this.#idle.delete(connection.origin);
  }
}
