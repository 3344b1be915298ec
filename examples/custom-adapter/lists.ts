import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import {
  type Customer,
  elementsOf,
  freeTextBytes,
  type Order,
  type OrderEvent,
  type OrderFilter,
  type OrderRepository,
  type OrderVersion,
  type Owner,
  type Page,
  PAGE_BYTES_MAX,
  PAGE_ELEMENTS_MAX,
  type PageQuery,
  type Timestamp,
  type Unavailable,
} from '@orders/domain';
import { err, ok, type ResultAsync } from 'neverthrow';
import { orUnavailable } from './transaction.ts';

/** Returns one page of orders or customers. */
export function list<A extends Order | Customer>(
  db: DatabaseSync,
  kind: 'order' | 'customer',
  owner: Owner,
  query: PageQuery & Partial<OrderFilter>,
): ResultAsync<Page<A, Timestamp>, Unavailable> {
  const { sort, after, limit, offset, status = null, customer_id = null, reference = null } = query;
  const field = sort.endsWith('created_at') ? 'created_at' : 'updated_at';
  const [direction, beyond] = sort.startsWith('-') ? ['desc', '<'] : ['asc', '>'];
  const position = { value: after?.value ?? null, id: after?.id ?? null, limit: limit + 1, offset };
  const filter = { status: status && JSON.stringify(status), customer_id, reference };
  return orUnavailable(() => {
    const page = db.prepare(
      `select body from versions where owner = :owner and kind = :kind and is_current
         and (:status is null or status in (select value from json_each(:status)))
         and (:customer_id is null or customer_id = :customer_id)
         and (:reference is null or name = :reference)
         and (:value is null or (${field}, id) ${beyond} (:value, :id))
       order by ${field} ${direction}, id ${direction} limit :limit offset :offset`,
    );
    const found = page.all({ owner, kind, ...filter, ...position }).map(({ body }) => parse<A>(body));
    const data = firstThatFit(found, limit, (aggregate) => aggregate);
    const last = data.length < found.length ? data.at(-1) : undefined;
    return ok({ data, next: last ? { value: last[field], id: last.id } : null });
  });
}

/** Returns the methods that read the versions of orders. */
export function orderVersions(db: DatabaseSync): Pick<OrderRepository, 'listVersions' | 'findVersion'> {
  const sql = db.createTagStore();
  return {
    listVersions: (owner, id, { at, after, limit }) =>
      orUnavailable(() => {
        const exists = sql.get`select id from versions where owner = ${owner} and kind = 'order' and id = ${id}`;
        if (!exists) return err({ type: 'order_not_found', id });
        const found = sql.all`
          select event, reason, body from versions where owner = ${owner} and kind = 'order' and id = ${id}
            and version < ${after?.value ?? Infinity} and (${at} is null or occurred_at <= ${at})
          order by version desc limit ${at === null ? limit + 1 : 1}`.map(toVersion);
        const data = firstThatFit(found, limit, ({ order }) => order);
        const last = data.length < found.length ? data.at(-1) : undefined;
        return ok({ data, next: last ? { value: last.version, id } : null });
      }),
    findVersion: (owner, id, version) =>
      orUnavailable(() => {
        const row = sql.get`
          select event, reason, body from versions
          where owner = ${owner} and kind = 'order' and id = ${id} and version = ${version}`;
        return row ? ok(toVersion(row)) : err({ type: 'version_not_found', id });
      }),
  };
}

function toVersion({ event, reason, body }: Readonly<Record<string, SQLOutputValue>>): OrderVersion {
  const { version, type, changed, occurred_at, actor } = parse<OrderEvent>(event);
  const order = parse<Order | null>(body);
  return { version, type, changed, occurred_at, actor, reason: reason === null ? null : String(reason), order };
}

/** Returns the first `limit` elements, as far as a page has room for their content, but at least one. */
function firstThatFit<Element>(
  found: readonly Element[],
  limit: number,
  contentOf: (element: Element) => Order | Customer | null,
): readonly Element[] {
  let elements = 0;
  let bytes = 0;
  const end = found.findIndex((element, index) => {
    const content = contentOf(element);
    if (content && 'items' in content) elements += elementsOf(content);
    if (content) bytes += freeTextBytes(content);
    return index === limit || (index > 0 && (elements > PAGE_ELEMENTS_MAX || bytes > PAGE_BYTES_MAX));
  });
  return end < 0 ? found : found.slice(0, end);
}

/** Parses a column that has nothing but the JSON that this adapter has stored, or null. */
export function parse<T>(column: SQLOutputValue | undefined): T {
  return JSON.parse(String(column)) as T;
}
