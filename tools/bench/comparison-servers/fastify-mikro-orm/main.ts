import { randomUUIDv7 } from 'node:crypto';
import {
  type EntityManager,
  MikroORM,
  OptimisticLockError,
  UniqueConstraintViolationException,
} from '@mikro-orm/postgresql';
import { type OrderStore, serveOrders, type Written } from '../fastify-shared/orders-app.ts';
import { environment } from '../shared/environment.ts';
import {
  changedByCancelling,
  expiry,
  fingerprint,
  presented,
  type PresentedOrder,
  priced,
  TRANSITIONS,
} from '../shared/order.ts';
import { Rejection } from '../shared/problem.ts';
import { ApiKey, IdempotencyRecord, Order, OrderItem, type OrderEntity, Outbox } from './entities.ts';

/** Fastify with MikroORM as its documentation recommends: entities, a fork for each request, one flush for each write. */
const orm = new MikroORM({
  entities: [ApiKey, IdempotencyRecord, Order, OrderItem, Outbox],
  clientUrl: environment.databaseUrl,
  schema: 'comparison',
  pool: { max: environment.poolMax },
  ensureDatabase: false,
});

function present(order: OrderEntity): PresentedOrder {
  return presented(order, order.items.getItems());
}

/** Returns the recorded response of the key. `undefined` for an unused key. */
async function findRecorded(em: EntityManager, owner: string, key: string | undefined, print: string) {
  const record =
    key === undefined
      ? null
      : await em.findOne(IdempotencyRecord, { owner_id: owner, key, expires_at: { $gt: new Date() } });
  if (!record) return undefined;
  if (record.fingerprint !== print) throw new Rejection('idempotency_key_reused');
  return { order: record.snapshot, replayed: true };
}

/** Changes entities and writes the changes in one transaction. Retries after a conflict with a concurrent request. */
async function keyed(
  owner: string,
  key: string | undefined,
  print: string,
  change: (em: EntityManager) => Promise<PresentedOrder>,
): Promise<Written> {
  for (let attempt = 1; ; attempt += 1) {
    const em = orm.em.fork();
    const earlier = await findRecorded(em, owner, key, print);
    if (earlier) return earlier;
    const order = await change(em);
    const now = new Date();
    if (key !== undefined) {
      const times = { created_at: now, expires_at: expiry(now) };
      em.create(IdempotencyRecord, {
        owner_id: owner,
        key,
        fingerprint: print,
        aggregate_id: order.id,
        snapshot: order,
        ...times,
      });
    }
    try {
      await em.flush();
      return { order, replayed: false };
    } catch (cause) {
      const conflict = cause instanceof OptimisticLockError || cause instanceof UniqueConstraintViolationException;
      if (!conflict || attempt === 3) throw cause;
    }
  }
}

const store: OrderStore = {
  ownerOfKey: async (hash) => {
    const unexpired = { $or: [{ expires_at: null }, { expires_at: { $gt: new Date() } }] };
    const key = await orm.em.fork().findOne(ApiKey, { key_hash: hash, revoked_at: null, ...unexpired });
    return key?.owner_id;
  },

  find: async (owner, id) => {
    const order = await orm.em.fork().findOne(Order, { owner_id: owner, id }, { populate: ['items'] });
    if (!order) throw new Rejection('order_not_found');
    return present(order);
  },

  list: async (owner, limit) => {
    const orderBy = { created_at: 'desc', id: 'desc' } as const;
    const page = { populate: ['items'], orderBy, limit: limit + 1 } as const;
    const orders = await orm.em.fork().find(Order, { owner_id: owner }, page);
    return orders.map(present);
  },

  create: (owner, body, key) =>
    keyed(owner, key, fingerprint('place_order', body), async (em) => {
      const now = new Date();
      const { order: values, items } = priced(body, now);
      const order = em.create(Order, { ...values, owner_id: owner, items: [...items] });
      const event = { id: randomUUIDv7(), type: 'order.placed', aggregate_id: order.id, version: 1, changed: [] };
      em.create(Outbox, { owner_id: owner, ...event, occurred_at: now });
      return await Promise.resolve(present(order));
    }),

  cancel: (owner, id, reason, key) =>
    keyed(owner, key, fingerprint('change_order', id, reason), async (em) => {
      const order = await em.findOne(Order, { owner_id: owner, id }, { populate: ['items'] });
      if (!order) throw new Rejection('order_not_found');
      if (TRANSITIONS[order.status]?.includes('cancelled') !== true) throw new Rejection('order_already_cancelled');
      const at = new Date(Math.max(Date.now(), order.updated_at.getTime()));
      const version = order.version + 1;
      em.assign(order, { status: 'cancelled', cancel_reason: reason, version, cancelled_at: at, updated_at: at });
      const event = { id: randomUUIDv7(), type: 'order.cancelled', aggregate_id: id, version };
      em.create(Outbox, { owner_id: owner, ...event, changed: changedByCancelling(reason), occurred_at: at });
      return present(order);
    }),
};

await serveOrders(store);
