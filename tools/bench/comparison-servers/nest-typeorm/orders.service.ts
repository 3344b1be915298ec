import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, type EntityManager, MoreThan, QueryFailedError } from 'typeorm';
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
import type { NewOrder } from '../shared/validation.ts';
import { IdempotencyRecord, Order, OrderItem, Outbox } from './entities.ts';

/** A changed order, and the writes that store it. */
interface Decided {
  readonly order: PresentedOrder;
  readonly write: (manager: EntityManager) => Promise<void>;
}

/** A concurrent request changed the order that was read. */
class Conflict extends Error {}

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

  /** Returns the newest orders, one more than a page has. */
  async list(owner_id: string): Promise<readonly PresentedOrder[]> {
    const orders = await this.#database.getRepository(Order).find({
      where: { owner_id },
      relations: { items: true },
      // With a join and a key of several columns, TypeORM limits rows instead of orders, and cannot sort the items.
      relationLoadStrategy: 'query',
      order: { created_at: 'DESC', id: 'DESC' },
      take: PAGE + 1,
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
      const { order, items, event } = priced(body, new Date());
      return await Promise.resolve({
        order: presented(order, items),
        write: async (manager) => {
          await manager.insert(Order, { ...order, owner_id, metadata: body.metadata ?? {} });
          await manager.insert(
            OrderItem,
            items.map((item) => ({ ...item, owner_id, order_id: order.id })),
          );
          await manager.insert(Outbox, { owner_id, ...event });
        },
      });
    });
  }

  async cancel(owner_id: string, id: string, reason: string | null, key: string | undefined): Promise<Written> {
    return await this.#keyed(owner_id, key, fingerprint('change_order', id, reason), async () => {
      const before = await this.#load(owner_id, id);
      const at = new Date(Math.max(Date.now(), before.updated_at.getTime()));
      const { items, ...columns }: OrderRow<Date> & { readonly items: readonly ItemRow[] } = before;
      const { change, event } = cancellation(columns, reason, at);
      return {
        order: presented({ ...columns, ...change }, items),
        write: async (manager) => {
          const { affected } = await manager.update(Order, { owner_id, id, version: before.version }, change);
          if (affected !== 1) throw new Conflict();
          await manager.insert(Outbox, { owner_id, ...event });
        },
      };
    });
  }

  async #load(owner_id: string, id: string): Promise<Order> {
    // This is one statement; `findOne` with relations sends two.
    const query = this.#database
      .getRepository(Order)
      .createQueryBuilder('order')
      .leftJoinAndSelect('order.items', 'item');
    const order = await query.where({ owner_id, id }).orderBy('item.line').getOne();
    if (!order) throw new Rejection('order_not_found');
    return order;
  }

  /** Runs the writes of `decide` and stores the idempotency record in one transaction. */
  async #keyed(
    owner_id: string,
    key: string | undefined,
    print: string,
    decide: () => Promise<Decided>,
  ): Promise<Written> {
    return await keyed(key, print, {
      find: async (used) => {
        const where = { owner_id, key: used, expires_at: MoreThan(new Date()) };
        const record = await this.#database.getRepository(IdempotencyRecord).findOneBy(where);
        if (!record) return undefined;
        const snapshot = { id: record.aggregate_id, version: 1, ...record.snapshot };
        return { fingerprint: record.fingerprint, snapshot };
      },
      write: async () => {
        const { order, write } = await decide();
        const record = { fingerprint: print, aggregate_id: order.id, snapshot: order, ...keyTimes() };
        await this.#database.transaction(async (manager) => {
          if (key !== undefined) await manager.insert(IdempotencyRecord, { owner_id, key, ...record });
          await write(manager);
        });
        return order;
      },
      isConflict: (cause) => cause instanceof Conflict || cause instanceof QueryFailedError,
    });
  }
}
