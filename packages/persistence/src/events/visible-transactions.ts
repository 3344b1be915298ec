import type { OpenedPools } from '../database/opened-pools.ts';
import type { Orm } from '../tables/orm.ts';
import { prepare, type Statement } from '../sql/statement.ts';

/** The statements that notice whether anything was committed. */
export interface VisibleStatements {
  /** Whether Citus is installed: it accepts statements about several owners only as long as no table is distributed. */
  readonly citus: Statement<object, { readonly is_installed: boolean }>;
  /**
   * Selects which transactions are visible. Two statements with the same result see the same rows, except those that their
   * own transaction writes.
   */
  readonly visible: Statement<object, { readonly visible: string }>;
}

/** Prepares the statements that notice whether anything was committed. */
export function visibleStatements(orm: Orm): VisibleStatements {
  return {
    citus: prepare<object, { is_installed: boolean }>(
      orm,
    )`select to_regclass('pg_dist_partition') is not null as is_installed`,
    visible: prepare<object, { visible: string }>(orm)`select pg_current_snapshot()::text as visible`,
  };
}

/** The transactions that are visible to statements of a database. */
export class VisibleTransactions {
  readonly #primary: OpenedPools['primary'];
  readonly #statements: VisibleStatements;
  #isOnCitus: boolean | undefined;

  constructor(primary: OpenedPools['primary'], statements: VisibleStatements) {
    this.#primary = primary;
    this.#statements = statements;
  }

  /** Whether Citus is installed, which does not change while the server runs. */
  async usesCitus(): Promise<boolean> {
    return (this.#isOnCitus ??= (await this.#statements.citus(this.#primary, {}))[0]?.is_installed === true);
  }

  /** Returns them; `undefined` on Citus, whose coordinator does not know those of its workers. */
  async read(): Promise<string | undefined> {
    if (await this.usesCitus()) return undefined;
    const [row] = await this.#statements.visible(this.#primary, {});
    return row?.visible;
  }
}
