import type {
  OrderDefinition,
  OrderNotFound,
  OrderRepository,
  OrderVersion,
  Page,
  Unavailable,
  VersionNotFound,
} from '@orders/domain';
import { err, Result } from 'neverthrow';
import { readSnapshot } from '../writes/change-record.ts';
import type { Executor } from '../postgres/executor.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import type { StoredParts } from '../tables/order-entity.ts';
import { reasonOf, type RestoreOrder } from './order-snapshot.ts';
import type { OrderVersionRow, OrderVersionStatements } from './order-version-statements.ts';

/** The highest number of a version that the database stores. */
const VERSION_MAX = 2 ** 31 - 1;

/** A version of an order whose definition is known only when the program runs. */
type AnyVersion = OrderVersion<OrderDefinition>;

/** Returns the reads of an order's versions, each of which is one statement. */
export function orderVersions(
  versions: OrderVersionStatements,
  primary: Executor,
  restore: RestoreOrder,
): Pick<OrderRepository<OrderDefinition>, 'listVersions' | 'findVersion'> {
  return {
    listVersions: (owner, id, { limit, after, at }) => {
      const target = { owner_id: owner, id };
      const list = async (): Promise<Result<Page<AnyVersion, number>, OrderNotFound | Unavailable>> => {
        const page = (from: number) => versions.page(primary, { ...target, limit, after: from });
        const rows =
          at === null
            ? await page(after?.value ?? Number.MAX_SAFE_INTEGER)
            : await versions.at(primary, { ...target, at });
        if (rows.length === 0 && (await page(Number.MAX_SAFE_INTEGER)).length === 0)
          return err({ type: 'order_not_found', id });
        const last = rows.at(-1);
        const next = last?.more === true ? { value: last.version, id } : null;
        const parts = rows[0]?.parts ?? null;
        return Result.combine(rows.map((row) => toVersion(row, parts, restore))).map((data) => ({ data, next }));
      };
      return toResultAsync(list());
    },

    findVersion: (owner, id, version) => {
      const isVersion = Number.isInteger(version) && version >= 1 && version <= VERSION_MAX;
      const target = { owner_id: owner, id, version };
      const find = async (): Promise<Result<AnyVersion, VersionNotFound | Unavailable>> => {
        const [row] = isVersion ? await versions.find(primary, target) : [];
        if (!row) return err({ type: 'version_not_found', id });
        return toVersion(row, row.parts, restore);
      };
      return toResultAsync(find());
    },
  };
}

/** Returns the version of a row. */
export function toVersion(
  row: OrderVersionRow,
  parts: StoredParts | null,
  restore: RestoreOrder,
): Result<AnyVersion, Unavailable> {
  return readSnapshot(row).map((snapshot) => ({
    version: row.version,
    type: row.type,
    changed: row.changed,
    occurred_at: readTimestamp(row.occurred_at),
    actor: row.actor,
    external_user_id: row.external_user_id,
    reason: snapshot && reasonOf(snapshot),
    order: snapshot && restore(snapshot, parts),
  }));
}
