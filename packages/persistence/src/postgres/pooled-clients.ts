import type { Pool, PoolClient } from 'pg';
import { FAILURE_REASONS, type FailureReason, failureReason, isReadOnly, isSessionEnding } from './postgres-errors.ts';
import { type Sending, sendPrepared } from './prepared-query.ts';
import type { Sender } from './session.ts';
import { SESSION_SETTINGS, type SessionSettings, unsuitable } from './session-settings.ts';

/** Receives a connection, or why there is none. */
type Connected = (cause: unknown, client?: PoolClient) => void;

/** The minimum interval between renewals, in milliseconds: while no server accepts writes, every write requests one. */
const RENEWAL_INTERVAL_MS = 1000;

const ignore = (): void => undefined;

/** The connections of a pool, from when they are taken until they are returned, and their failures. */
export class PooledClients {
  /** The number of failures for each reason. */
  readonly failures = new Map<FailureReason, number>(FAILURE_REASONS.map((reason) => [reason, 0]));
  readonly sender: Sender;
  readonly #pool: Pool;
  /** Whether the pool belongs to a host. */
  readonly #isShared: boolean;
  #lastFailure: { readonly reason: FailureReason; readonly at: number } | undefined;
  /** The connection that is offered, until a waiting statement takes it over. */
  #returned: PoolClient | undefined;
  /** The number of renewals when a connection was first taken. The pool of a host has connections that never were. */
  readonly #renewals = new WeakMap<PoolClient, number>();
  #renewed = 0;
  #renewedAt = -Infinity;

  constructor(pool: Pool, isShared: boolean, { named, limitMs }: Required<Sending>) {
    this.#pool = pool;
    this.#isShared = isShared;
    this.sender = { named, limitMs, endsSession: (cause) => this.endsSession(cause) };
  }

  /** Returns the reason of the last failure, if it is younger than that many milliseconds. */
  lastFailure(ms: number): FailureReason | undefined {
    const last = this.#lastFailure;
    return last && performance.now() - last.at < ms ? last.reason : undefined;
  }

  /** Takes a connection. */
  connect(connected: Connected): void {
    const client = this.#takeReturned();
    if (client) {
      connected(null, client);
      return;
    }
    try {
      this.#pool.connect((cause, taken) => {
        if (!taken) {
          this.#countFailure(cause);
          connected(cause);
          return;
        }
        // The pool of a host may have connections without a listener, whose loss would end the process. The statement that
        // uses the lost connection reports it.
        if (this.#isShared) taken.on('error', ignore);
        const wasTaken = this.#renewals.has(taken);
        if (!wasTaken) this.#renewals.set(taken, this.#renewed);
        if (wasTaken || !this.#isShared) connected(null, taken);
        else this.#checkSession(taken, connected);
      });
    } catch (cause) {
      // Creating the client itself can throw, for instance when a certificate that the URL refers to is missing.
      connected(cause);
    }
  }

  /** Offers a connection to the statement that begins next, or closes an unusable one. Call {@link giveBack} afterwards. */
  offer(client: PoolClient, isUnusable: boolean): void {
    const isOutdated = isUnusable || this.#isStale(client);
    // The pool would set two timers between two statements. While one owner alone is busy, most of its statements wait.
    if (isOutdated || this.#pool.ending) this.#release(client, isOutdated);
    else this.#returned = client;
  }

  /** Returns the offered connection to the pool, if no statement has taken it. */
  giveBack(): void {
    const free = this.#takeReturned();
    if (free) this.#release(free, false);
  }

  /** Counts a failure, and returns whether its session is unusable. */
  endsSession(cause: unknown): boolean {
    if (isReadOnly(cause)) this.renew();
    this.#countFailure(cause);
    return isSessionEnding(cause);
  }

  /** Closes idle connections, and those in use when they are returned; at most once a second. */
  renew(): void {
    if (performance.now() - this.#renewedAt < RENEWAL_INTERVAL_MS) return;
    this.#renewedAt = performance.now();
    this.#renewed += 1;
    for (let idle = this.#pool.idleCount; idle > 0; idle -= 1) {
      this.#pool.connect((_, client) => client?.release(this.#isStale(client)));
    }
  }

  /** Passes a connection on if its session has suitable settings: that of another library may have others. */
  #checkSession(client: PoolClient, connected: Connected): void {
    sendPrepared<SessionSettings>(this.sender, client, SESSION_SETTINGS, [], (failed, [settings]) => {
      const cause = failed ?? unsuitable(settings);
      if (!cause) {
        connected(null, client);
        return;
      }
      // Its settings may change, so that they are checked again.
      this.#renewals.delete(client);
      this.#release(client, failed !== null && this.endsSession(failed));
      connected(cause);
    });
  }

  #takeReturned(): PoolClient | undefined {
    const client = this.#returned;
    this.#returned = undefined;
    return client;
  }

  #release(client: PoolClient, isUnusable: boolean): void {
    if (this.#isShared) client.off('error', ignore);
    client.release(isUnusable);
  }

  #isStale(client: PoolClient): boolean {
    return this.#renewals.get(client) !== this.#renewed;
  }

  #countFailure(cause: unknown): void {
    const reason = failureReason(cause);
    if (reason === null) return;
    this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    this.#lastFailure = { reason, at: performance.now() };
  }
}
