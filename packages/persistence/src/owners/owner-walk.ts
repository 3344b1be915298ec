import type { Owner } from '@orders/domain';
import type { OpenedPools } from '../database/opened-pools.ts';
import { isNodeFault, isOwnersFault } from '../postgres/postgres-errors.ts';
import type { Statement } from '../sql/statement.ts';
import { livingOwners, type OwnerPage, type Owners } from './living-owners.ts';

/** Maximum number of owners of a page, while a node of Citus is down. */
const LIVING_PAGE = 1000;

/** A page of the owners on nodes that respond. */
interface Living {
  readonly owners: readonly Owner[];
  readonly next: Owner | null;
}

/** Options of a step over all owners. */
export interface OwnerStepOptions {
  /**
   * Called for each owner that the step passes over, with the failure of the statement about it. Usually another transaction
   * has locked a row of the owner. A later run of the step returns to it. Default: no-op.
   */
  readonly onPassedOver?: ((owner: Owner, cause: unknown) => void) | undefined;
  /**
   * Called when a node of Citus does not respond. The step leaves out the owners of that node, and a later run returns to
   * them. Default: no-op.
   */
  readonly onNodeDown?: ((cause: unknown) => void) | undefined;
}

/**
 * A page of what a search over owners has found.
 *
 * @internal
 */
export interface Found<Row> {
  readonly rows: readonly Row[];
  /** The next page begins after this owner. `null` at the end. */
  readonly next: Owner | null;
}

/**
 * Finds the next page after an owner, among all owners or some.
 *
 * @internal
 */
export type Search<Row> = (after: Owner, among: Owners) => Promise<Found<Row>>;

/**
 * One run of a step over all owners with rows in a table. It goes on past a failure that may be about one owner alone. While a
 * node of Citus is down, it is about the owners on nodes that respond. Any other failure, such as a lost connection, ends the
 * run.
 *
 * @internal
 */
export class OwnerWalk {
  readonly #primary: OpenedPools['primary'];
  readonly #living: Statement<OwnerPage, { readonly owner_id: Owner }>;
  readonly #options: OwnerStepOptions;
  readonly #passedOver = new Set<Owner>();
  #isNodeDown = false;

  constructor({ orm, primary }: Pick<OpenedPools, 'orm' | 'primary'>, table: string, options: OwnerStepOptions) {
    this.#primary = primary;
    this.#living = livingOwners(orm, table);
    this.#options = options;
  }

  /** Does work that is about all owners at a time; while a node is down, for each page of the others. */
  async inReach(work: (owners: Owners) => Promise<void>): Promise<void> {
    if (await this.#reachesAll(() => work(null))) return;
    for (let after: Owner | null = ''; after !== null;) {
      const living: Living = await this.#livingAfter(after);
      await work(living.owners);
      after = living.next;
    }
  }

  /** Returns the page of a search after an owner. */
  async page<Row>(search: Search<Row>, after: Owner): Promise<Found<Row>> {
    const all = await this.#reachesAll(() => search(after, null));
    if (all) return all.result;
    const living = await this.#livingAfter(after);
    const { rows, next } = await search(after, living.owners);
    return { rows, next: next ?? living.next };
  }

  /**
   * Returns all rows that a search finds.
   *
   * @param among the owners, if the caller has left out those of a node; default: those that are found in reach
   */
  async *rows<Row>(search: Search<Row>, among?: Owners): AsyncGenerator<Row, void, undefined> {
    for (let after: Owner | null = ''; after !== null;) {
      const found: Found<Row> = await (among === undefined ? this.page(search, after) : search(after, among));
      yield* found.rows;
      after = found.next;
    }
  }

  /**
   * Does the work of one owner and returns its result; `undefined` if the owner is passed over. One that was passed over
   * before is not tried again in the same run, so that it delays the others once.
   */
  async attempt<T>(owner: Owner, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#passedOver.has(owner)) return undefined;
    try {
      return await work();
    } catch (cause) {
      if (!isOwnersFault(cause)) throw cause;
      this.#passedOver.add(owner);
      this.#options.onPassedOver?.(owner, cause);
      return undefined;
    }
  }

  /** Returns the result of work about all owners; `null` while a node is down, which is reported once. */
  async #reachesAll<T>(work: () => Promise<T>): Promise<{ readonly result: T } | null> {
    if (this.#isNodeDown) return null;
    try {
      return { result: await work() };
    } catch (cause) {
      if (!isNodeFault(cause)) throw cause;
      this.#isNodeDown = true;
      this.#options.onNodeDown?.(cause);
      return null;
    }
  }

  async #livingAfter(after: Owner): Promise<Living> {
    const rows = await this.#living(this.#primary, { after, limit: LIVING_PAGE });
    const owners = rows.map(({ owner_id }) => owner_id);
    return { owners, next: owners.length < LIVING_PAGE ? null : (owners.at(-1) ?? null) };
  }
}
