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
import { Rejection } from '../shared/problem.ts';
import { IdempotencyRecord, Order, OrderItem, Outbox } from './entities.ts';

/** The result of a write with an idempotency key. */
export interface Written {
  readonly order: object & { readonly id: string; readonly version: number };
  readonly replayed: boolean;
}

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

  /** Returns the newest orders, up to `limit + 1`, so that the caller sees whether more exist. */
  async list(owner_id: string, limit: number): Promise<readonly PresentedOrder[]> {
    const orders = await this.#database.getRepository(Order).find({
      where: { owner_id },
      relations: { items: true },
      // With a join and a key of several columns, TypeORM limits rows instead of orders, and cannot sort the items.
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
      if (TRANSITIONS[before.status]?.includes('cancelled') !== true) throw new Rejection('order_already_cancelled');
      const at = new Date(Math.max(Date.now(), before.updated_at.getTime()));
      const version = before.version + 1;
      const { items, ...columns }: OrderRow<Date> & { readonly items: readonly ItemRow[] } = before;
      const change = { status: 'cancelled', cancel_reason: reason, version, updated_at: at, cancelled_at: at };
      const event = { type: 'order.cancelled', aggregate_id: id, version, changed: changedByCancelling(reason) };
      return {
        order: presented({ ...columns, ...change }, items),
        write: async (manager) => {
          const { affected } = await manager.update(Order, { owner_id, id, version: before.version }, change);
          if (affected !== 1) throw new Conflict();
          await manager.insert(Outbox, { owner_id, id: randomUUIDv7(), ...event, occurred_at: at });
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

  /** Runs the writes of `decide` and stores the idempotency record in one transaction. Retries after a conflict. */
  async #keyed(
    owner_id: string,
    key: string | undefined,
    print: string,
    decide: () => Promise<Decided>,
  ): Promise<Written> {
    for (let attempt = 1; ; attempt += 1) {
      const earlier = await this.#findRecorded(owner_id, key, print);
      if (earlier) return earlier;
      const { order, write } = await decide();
      const now = new Date();
      const times = { created_at: now, expires_at: expiry(now) };
      const record = { fingerprint: print, aggregate_id: order.id, snapshot: order, ...times };
      try {
        await this.#database.transaction(async (manager) => {
          if (key !== undefined) await manager.insert(IdempotencyRecord, { owner_id, key, ...record });
          await write(manager);
        });
        return { order, replayed: false };
      } catch (cause) {
        const conflict = cause instanceof Conflict || cause instanceof QueryFailedError;
        if (!conflict || attempt === 3) throw cause;
      }
    }
  }

  /** Returns the recorded response of the key. `undefined` for an unused key. */
  async #findRecorded(owner_id: string, key: string | undefined, print: string): Promise<Written | undefined> {
    if (key === undefined) return undefined;
    const where = { owner_id, key, expires_at: MoreThan(new Date()) };
    const record = await this.#database.getRepository(IdempotencyRecord).findOneBy(where);
    if (!record) return undefined;
    if (record.fingerprint !== print) throw new Rejection('idempotency_key_reused');
    return { order: { id: record.aggregate_id, version: 1, ...record.snapshot }, replayed: true };
  }
}
