import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import {
  type Customer,
  CUSTOMER_FILTERS,
  type CustomerQuery,
  elementsOf,
  freeTextBytes,
  type ListFilters,
  type Order,
  type OrderEvent,
  orderFilters,
  type OrderQuery,
  type OrderRepository,
  ORDERS,
  type OrderVersion,
  type Owner,
  type Page,
  PAGE_BYTES_MAX,
  PAGE_ELEMENTS_MAX,
  type Timestamp,
  type Unavailable,
} from '@orders/domain';
import { err, ok, type ResultAsync } from 'neverthrow';
import { orUnavailable } from './transaction.ts';

const FILTERS: Readonly<Record<'order' | 'customer', ListFilters>> = {
  order: orderFilters(ORDERS),
  customer: CUSTOMER_FILTERS,
};

/** Returns one page of orders or customers. It looks at all rows of an owner if it must: SQLite is fast enough. */
export function list<A extends Order | Customer>(
  db: DatabaseSync,
  kind: 'order' | 'customer',
  owner: Owner,
  query: OrderQuery | CustomerQuery,
): ResultAsync<Page<A, Timestamp>, Unavailable> {
  const { sort, after, limit, offset } = query;
  const member = sort.replace('-', '');
  const [direction, beyond] = sort.startsWith('-') ? ['desc', '<'] : ['asc', '>'];
  const values: Record<string, string | number> = { owner, kind, limit: limit + 1, offset };
  const conditions: string[] = [];
  for (const [name, { of, operator }] of Object.entries(FILTERS[kind])) {
    const value: unknown = Reflect.get(query, name);
    if (value === null) continue;
    values[name] = typeof value === 'string' ? value : JSON.stringify(value);
    if (operator === 'in') conditions.push(`${columnOf(of)} in (select value from json_each(:${name}))`);
    else if (operator === 'has')
      conditions.push(`exists (select 1 from json_each(lookups(body)) where value = :${name})`);
    else if (operator === 'starts with') conditions.push(`substr(${columnOf(of)}, 1, length(:${name})) = :${name}`);
    else conditions.push(`${columnOf(of)} ${operator} :${name}`);
  }
  if (after) {
    Object.assign(values, { value: after.value, id: after.id });
    conditions.push(`(${columnOf(member)}, id) ${beyond} (:value, :id)`);
  }
  return orUnavailable(() => {
    const page = db.prepare(
      `select body from versions where ${['owner = :owner', 'kind = :kind', 'is_current', ...conditions].join(' and ')}
       order by ${columnOf(member)} ${direction}, id ${direction} limit :limit offset :offset`,
    );
    const found = page.all(values).map(({ body }) => parse<A>(body));
    const data = firstThatFit(found, limit, (aggregate) => aggregate);
    const last = data.length < found.length ? data.at(-1) : undefined;
    return ok({ data, next: last ? { value: String(Reflect.get(last, member)), id: last.id } : null });
  });
}

function columnOf(member: string): string {
  return member === 'reference' ? 'name' : member;
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
  const { version, type, changed, occurred_at, actor, external_user_id } = parse<OrderEvent>(event);
  const order = parse<Order | null>(body);
  const author = { actor, external_user_id };
  return { version, type, changed, occurred_at, ...author, reason: reason === null ? null : String(reason), order };
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
