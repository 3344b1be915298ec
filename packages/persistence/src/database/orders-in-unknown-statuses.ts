import type { Owner } from '@orders/domain';
import type { Executor } from '../postgres/executor.ts';
import { UnknownStatus } from '../postgres/postgres-errors.ts';
import { inSchema, type InSchema } from '../tables/schema.ts';

/** An order in a status that the definition of this server lacks. */
export interface UnknownOrder {
  readonly owner: Owner;
  readonly id: string;
  readonly status: string;
}

/** Maximum number of statuses that are logged, each once. */
const LOGGED_MAX = 100;

const STATUS = 'select status from our.orders where owner_id = $1 and id = $2::uuid';

/**
 * The orders that a server has met in statuses that its definition lacks. Servers with another definition have written
 * them: those of a later release while it is deployed, or those of an earlier one until they are stopped.
 *
 * @internal
 */
export class UnknownOrders {
  readonly #statuses: Readonly<Record<string, unknown>>;
  readonly #warn: (message: string) => void;
  readonly #logged = new Set<string>();
  #met: UnknownOrder | null = null;

  constructor(statuses: Readonly<Record<string, unknown>>, warn: (message: string) => void) {
    this.#statuses = statuses;
    this.#warn = warn;
  }

  /** Records an order that was met, and returns the error of reading it. */
  add(order: UnknownOrder): UnknownStatus {
    const error = new UnknownStatus(order);
    this.#met = order;
    if (this.#logged.size < LOGGED_MAX && !this.#logged.has(order.status)) {
      this.#logged.add(order.status);
      this.#warn(`${error.message}; requests for orders in this status fail`);
    }
    return error;
  }

  /** Returns the order that was met last, unless it has a known status now; otherwise `null`. */
  async current(executor: Executor, orm: InSchema): Promise<UnknownOrder | null> {
    const met = this.#met;
    if (met === null) return null;
    const status = { text: inSchema(orm, STATUS) };
    const [row] = await executor.execute<{ readonly status: string }>(status, [met.owner, met.id]);
    if (row && !Object.hasOwn(this.#statuses, row.status)) return { ...met, status: row.status };
    // Another one may have been met meanwhile.
    if (this.#met === met) this.#met = null;
    return this.#met;
  }
}
