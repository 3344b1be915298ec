import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, type EntityManager, MoreThan, QueryFailedError } from 'typeorm';
import {
  changedByCancelling,
  expiry,
  fingerprint,
  type ItemRow,
  type NewOrder,
  type OrderRow,
  presented,
  type PresentedOrder,
  priced,
  TRANSITIONS,
} from '../shared/order.ts';
import { Refusal } from '../shared/problem.ts';
import { Once, Order, OrderItem, Outbox } from './entities.ts';

/** What was asked for with a key. */
export interface Written {
  readonly order: object & { readonly id: string; readonly version: number };
  readonly replayed: boolean;
}

/** An order as it will be, and the writes that make it so. */
interface Decided {
  readonly order: PresentedOrder;
  readonly write: (manager: EntityManager) => Promise<void>;
}

/** Another request changed what was read. */
class Overtaken extends Error {}

@Injectable()
export class OrdersService {
  readonly #database: DataSource;

  constructor(@InjectDataSource() database: DataSource) {
    this.#database = database;
  }

  async find(owner_id: string, id: string): Promise<PresentedOrder> {
    const order = await this.#load(owner_id, id);
    return presented(order, order.items);
  }

  /** The newest orders, one more than `limit` if there are more. */
  async list(owner_id: string, limit: number): Promise<readonly PresentedOrder[]> {
    const orders = await this.#database.getRepository(Order).find({
      where: { owner_id },
      relations: { items: true },
      // With a join TypeORM takes so many rows, not orders, when the key has several columns; and it cannot order this.
      relationLoadStrategy: 'query',
      order: { created_at: 'DESC', id: 'DESC' },
      take: limit + 1,
    });
    return orders.map((order) =>
      presented(
        order,
        order.items.toSorted((left, right) => left.line - right.line),
      ),
    );
  }

  async create(owner_id: string, body: NewOrder, key: string | undefined): Promise<Written> {
    return await this.#keyed(owner_id, key, fingerprint('place_order', body), async () => {
      const now = new Date();
      const { order, items } = priced(body, now);
      const event = { type: 'order.placed', aggregate_id: order.id, version: 1, changed: [], occurred_at: now };
      return await Promise.resolve({
        order: presented(order, items),
        write: async (manager) => {
          await manager.insert(Order, { ...order, owner_id, metadata: body.metadata ?? {} });
          await manager.insert(
            OrderItem,
            items.map((item) => ({ ...item, owner_id, order_id: order.id })),
          );
          await manager.insert(Outbox, { owner_id, id: randomUUIDv7(), ...event });
        },
      });
    });
  }

  async cancel(owner_id: string, id: string, reason: string | null, key: string | undefined): Promise<Written> {
    return await this.#keyed(owner_id, key, fingerprint('change_order', id, reason), async () => {
      const before = await this.#load(owner_id, id);
      if (TRANSITIONS[before.status]?.includes('cancelled') !== true) throw new Refusal('order_already_cancelled');
      const at = new Date(Math.max(Date.now(), before.updated_at.getTime()));
      const version = before.version + 1;
      const { items, ...columns }: OrderRow<Date> & { readonly items: readonly ItemRow[] } = before;
      const change = { status: 'cancelled', cancel_reason: reason, version, updated_at: at, cancelled_at: at };
      const event = { type: 'order.cancelled', aggregate_id: id, version, changed: changedByCancelling(reason) };
      return {
        order: presented({ ...columns, ...change }, items),
        write: async (manager) => {
          const { affected } = await manager.update(Order, { owner_id, id, version: before.version }, change);
          if (affected !== 1) throw new Overtaken();
          await manager.insert(Outbox, { owner_id, id: randomUUIDv7(), ...event, occurred_at: at });
        },
      };
    });
  }

  async #load(owner_id: string, id: string): Promise<Order> {
    // One statement; `findOne` with relations sends two.
    const query = this.#database
      .getRepository(Order)
      .createQueryBuilder('order')
      .leftJoinAndSelect('order.items', 'item');
    const order = await query.where({ owner_id, id }).orderBy('item.line').getOne();
    if (!order) throw new Refusal('order_not_found');
    return order;
  }

  /** Writes what was decided and the record of the key, all or nothing; again when another request was faster. */
  async #keyed(
    owner_id: string,
    key: string | undefined,
    print: string,
    decide: () => Promise<Decided>,
  ): Promise<Written> {
    for (let attempt = 1; ; attempt += 1) {
      const earlier = await this.#recall(owner_id, key, print);
      if (earlier) return earlier;
      const { order, write } = await decide();
      const now = new Date();
      const times = { created_at: now, expires_at: expiry(now) };
      const record = { fingerprint: print, aggregate_id: order.id, snapshot: order, ...times };
      try {
        await this.#database.transaction(async (manager) => {
          if (key !== undefined) await manager.insert(Once, { owner_id, key, ...record });
          await write(manager);
        });
        return { order, replayed: false };
      } catch (cause) {
        const overtaken = cause instanceof Overtaken || cause instanceof QueryFailedError;
        if (!overtaken || attempt === 3) throw cause;
      }
    }
  }

  /** What the key was used for before, if it was. */
  async #recall(owner_id: string, key: string | undefined, print: string): Promise<Written | undefined> {
    if (key === undefined) return undefined;
    const where = { owner_id, key, expires_at: MoreThan(new Date()) };
    const once = await this.#database.getRepository(Once).findOneBy(where);
    if (!once) return undefined;
    if (once.fingerprint !== print) throw new Refusal('idempotency_key_reused');
    return { order: { id: once.aggregate_id, version: 1, ...once.snapshot }, replayed: true };
  }
}
