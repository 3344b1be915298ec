import type { OpenedPools } from '../database/opened-pools.ts';
import { usesCitus } from '../postgres/uses-citus.ts';
import { prepare, type Statement } from '../sql/statement.ts';

/** The transactions that are visible to statements of a database. */
export class VisibleTransactions {
  readonly #primary: OpenedPools['primary'];
  readonly #visible: Statement<object, { readonly visible: string }>;
  #isOnCitus: boolean | undefined;

  constructor({ orm, primary }: Pick<OpenedPools, 'orm' | 'primary'>) {
    this.#primary = primary;
    this.#visible = prepare<object, { visible: string }>(orm)`select pg_current_snapshot()::text as visible`;
  }

  /** Whether Citus is installed, which does not change while the server runs. */
  async usesCitus(): Promise<boolean> {
    return (this.#isOnCitus ??= await usesCitus(this.#primary));
  }

  /**
   * Returns them: two statements with the same ones see the same rows, except those that their own transaction writes.
   * `undefined` on Citus, whose coordinator does not know those of its workers.
   */
  async read(): Promise<string | undefined> {
    if (await this.usesCitus()) return undefined;
    const [row] = await this.#visible(this.#primary, {});
    return row?.visible;
  }
}
