import {
  MikroORM,
  OptimisticLockError,
  type EntityManager,
  UniqueConstraintViolationException,
} from '@mikro-orm/postgresql';
import { environment } from '../shared/environment.ts';
import type { OrderStore } from '../shared/fastify-app.ts';
import { keyed, type Written } from '../shared/keyed.ts';
import {
  cancellation,
  fingerprint,
  type ItemRow,
  keyTimes,
  type OrderRow,
  PAGE,
  presented,
  type PresentedOrder,
  priced,
} from '../shared/order.ts';
import { Rejection } from '../shared/problem.ts';
import { ApiKey, IdempotencyRecord, Order, OrderItem, Outbox } from './entities.ts';

const orm = new MikroORM({
  clientUrl: environment.databaseUrl,
  // It does not read the search path of the URL.
  schema: 'comparison',
  entities: [ApiKey, IdempotencyRecord, Order, OrderItem, Outbox],
  pool: { min: environment.poolMax, max: environment.poolMax },
});

/** Orders as entities of MikroORM. Each request has an entity manager of its own, whose flush is a transaction. */
export const store: OrderStore = {
  ownerOfKey: async (key_hash) => {
    const key = await orm.em.fork().findOne(ApiKey, { key_hash, revoked_at: null });
    const { expires_at = null } = key ?? {};
    return expires_at === null || expires_at > new Date() ? key?.owner_id : undefined;
  },

  find: async (owner_id, id) => {
    return presentedEntity(loaded(await load(orm.em.fork(), owner_id, id)));
  },

  list: async (owner_id) => {
    const orderBy = { created_at: 'desc', id: 'desc' } as const;
    const orders = await orm.em
      .fork()
      .find(Order, { owner_id }, { populate: ['items'], orderBy, limit: PAGE + 1, strategy: 'select-in' });
    return orders.map((order) => presentedEntity(loaded(order)));
  },

  create: (owner_id, body, key) =>
    write(owner_id, key, fingerprint('place_order', body), async (em) => {
      const { order, items, event } = priced(body, new Date());
      const placed = em.create(Order, { ...order, owner_id });
      for (const item of items) em.create(OrderItem, { ...item, order: placed });
      em.create(Outbox, { ...event, owner_id });
      return await Promise.resolve(presented(order, items));
    }),

  cancel: (owner_id, id, reason, key) =>
    write(owner_id, key, fingerprint('change_order', id, reason), async (em) => {
      const order = await load(em, owner_id, id);
      const at = new Date(Math.max(Date.now(), loaded(order).updated_at.getTime()));
      const {
        change: { version, ...change },
        event,
      } = cancellation(loaded(order), reason, at);
      em.assign(order, change);
      em.create(Outbox, { ...event, owner_id });
      return presentedEntity(loaded(order), { version });
    }),
};

/** An order with its items. Every column that was read is set; the types of an entity say that a nullable one may not be. */
interface LoadedOrder extends OrderRow<Date> {
  readonly items: { getItems(): readonly ItemRow[] };
}

/** Returns an entity itself, of which all columns are set. */
function loaded(order: object): LoadedOrder;
function loaded(order: unknown): unknown {
  return order;
}

function presentedEntity(order: LoadedOrder, changed: { readonly version?: number } = {}): PresentedOrder {
  const { version = order.version } = changed;
  return { ...presented(order, order.items.getItems()), version };
}

async function load(em: EntityManager, owner_id: string, id: string) {
  const order = await em.findOne(Order, { owner_id, id }, { populate: ['items'] });
  if (!order) throw new Rejection('order_not_found');
  return order;
}

/** Stores what `decide` changes, with the idempotency record, in one flush. */
async function write(
  owner_id: string,
  key: string | undefined,
  print: string,
  decide: (em: EntityManager) => Promise<PresentedOrder>,
): Promise<Written> {
  return await keyed(key, print, {
    find: async (used) => {
      const record = await orm.em
        .fork()
        .findOne(IdempotencyRecord, { owner_id, key: used, expires_at: { $gt: new Date() } });
      if (!record) return undefined;
      return { fingerprint: record.fingerprint, snapshot: { id: record.aggregate_id, version: 1, ...record.snapshot } };
    },
    write: async () => {
      const em = orm.em.fork();
      const order = await decide(em);
      const record = { fingerprint: print, aggregate_id: order.id, snapshot: order, ...keyTimes() };
      if (key !== undefined) em.create(IdempotencyRecord, { owner_id, key, ...record });
      await em.flush();
      return order;
    },
    isConflict: (cause) => cause instanceof OptimisticLockError || cause instanceof UniqueConstraintViolationException,
  });
}
