import { err, ok } from 'neverthrow';
import type { CustomerErased } from '../../customers/customer-errors.ts';
import { personalMembers, personsOf, withoutPersonalData } from '../../orders/erase-order.ts';
import type { ReferenceTaken, UnknownCustomer } from '../../orders/order-errors.ts';
import type { OrderEvent } from '../../orders/order-kind.ts';
import { type OrderDefinition, ORDERS } from '../../orders/order-lifecycle.ts';
import { lookupsOf } from '../../orders/lookups.ts';
import { orderFilters } from '../../orders/order-query.ts';
import type { OrderRepository } from '../../orders/order-repository.ts';
import { type OrderVersion, type OrderVersionQuery, VERSION_MAX } from '../../orders/order-version.ts';
import type { Order } from '../../orders/order.ts';
import type { Page } from '../../shared/page.ts';
import { firstPage, InMemoryAggregates, type KindRules, type StoreParts } from './in-memory-aggregates.ts';
import type { Change } from './in-memory-changes.ts';
import { createPageLimit } from './page-limit.ts';

/** Those of every definition: the names that a status may have are checked before. */
const FILTERS = orderFilters(ORDERS);

/** Few, so that tests with a handful of orders have several batches. */
const ORDERS_PER_BATCH = 10;

/** All orders of an in-memory store, with their versions and idempotency keys. */
export class InMemoryOrders
  extends InMemoryAggregates<Order, OrderEvent, ReferenceTaken | UnknownCustomer | CustomerErased>
  implements OrderRepository
{
  readonly #definition: OrderDefinition;

  constructor(
    parts: StoreParts,
    kind: KindRules<Order, OrderEvent, ReferenceTaken | UnknownCustomer | CustomerErased>,
    definition: OrderDefinition,
  ) {
    super(parts, kind);
    this.#definition = definition;
  }

  readonly list: OrderRepository['list'] = (owner, query) =>
    this.gate.read(() => {
      const memberOf = (order: Order, name: string): unknown =>
        name === FILTERS.lookup.of ? lookupsOf(this.#definition, order).lookups : Reflect.get(order, name);
      return ok(this.page(owner, query, FILTERS, createPageLimit, memberOf));
    });

  readonly listVersions: OrderRepository['listVersions'] = (owner, id, query) =>
    this.gate.read(() => {
      const versions = this.versions(owner, id).map(toOrderVersion);
      return versions.length === 0 ? err({ type: 'order_not_found', id }) : ok(versionPage(versions, id, query));
    });

  readonly findVersion: OrderRepository['findVersion'] = (owner, id, version) =>
    this.gate.read(() => {
      const found = this.versions(owner, id).find(({ event }) => event.version === version);
      return found ? ok(toOrderVersion(found)) : err({ type: 'version_not_found', id });
    });

  readonly findOrdersOf: OrderRepository['findOrdersOf'] = (owner, persons, after) =>
    this.gate.read(() => {
      const remaining = this.changes
        .ids(owner)
        .filter((id) => after === null || id > after.id || (after.version === 0 && id === after.id));
      const batch = remaining.slice(0, ORDERS_PER_BATCH);
      const amongThese = (snapshot: Order | null) =>
        snapshot ? personsOf(snapshot).filter((person) => persons.includes(person)) : [];
      const orders = batch.flatMap((id) => {
        const versions = this.changes.of(owner, id);
        const { event, snapshot = null } = versions.at(-1) ?? {};
        const found = new Set(versions.flatMap((version) => amongThese(version.snapshot)));
        if (!event || found.size === 0) return [];
        const isPersonal = versions.some(
          (version) =>
            version.reason !== null ||
            version.event.external_user_id !== null ||
            (version.snapshot && personalMembers(version.snapshot).length > 0),
        );
        const erased_at = (event.type === 'order.erased' && snapshot?.erased_at) || null;
        return { id, version: event.version, erased_at, persons: [...found], newest: amongThese(snapshot), isPersonal };
      });
      const last = batch.at(-1);
      return ok({ orders, next: last && remaining.length > batch.length ? { id: last, version: VERSION_MAX } : null });
    });

  readonly eraseDeleted: OrderRepository['eraseDeleted'] = (owner, id) =>
    this.gate.write(() => {
      if (!this.has(owner, id)) this.changes.erase(owner, id, withoutPersonalData);
      return ok(null);
    });
}

function toOrderVersion({ event, snapshot: order, reason }: Change<Order, OrderEvent>): OrderVersion {
  const { version, type, changed, occurred_at, actor, external_user_id } = event;
  return { version, type, changed, occurred_at, actor, external_user_id, reason, order };
}

/** Returns a page of `versions`, which are sorted newest first. */
function versionPage(
  versions: readonly OrderVersion[],
  id: string,
  { at, after, limit }: OrderVersionQuery,
): Page<OrderVersion, number> {
  if (at !== null) return { data: versions.filter(({ occurred_at }) => occurred_at <= at).slice(0, 1), next: null };
  const remaining = versions.filter(({ version }) => after === null || version < after.value);
  const createLimit = () => {
    const fits = createPageLimit();
    return ({ order }: OrderVersion) => order === null || fits(order);
  };
  return firstPage(remaining, limit, createLimit, ({ version }) => ({ value: version, id }));
}
