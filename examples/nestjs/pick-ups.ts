import { Body, ConflictException, Controller, Get, Inject, Injectable, Module, Param, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { orThrow } from '@orders/domain';
import type { TransactionClient } from '@orders/persistence';
import { Orders } from './orders.module.ts';
import { RejectionsFilter } from './rejections.filter.ts';

export const CREATE_SHELVES = 'create table shelves (name text primary key, order_id uuid not null)';

const tea = { sku: 'TEA-100', name: 'Green tea, 100 g', quantity: 1, unit_price: { amount: 650, currency: 'EUR' } };

/** The rows of the application. */
@Injectable()
export class Shelves {
  async put(client: TransactionClient, name: string, orderId: string): Promise<void> {
    const insert = 'insert into shelves values ($1, $2) on conflict do nothing';
    const { rowCount } = await client.query(insert, [name, orderId]);
    if (rowCount === 0) throw new ConflictException('the shelf is taken');
  }
}

@Controller('pick-ups')
export class PickUps {
  constructor(
    @Inject(Orders) private readonly orders: Orders,
    @Inject(Shelves) private readonly shelves: Shelves,
  ) {}

  /** Places an order, and puts it on a shelf: both, or neither. */
  @Post(':shelf')
  place(@Param('shelf') shelf: string, @Body('reference') reference: string) {
    return this.orders.transaction(async ({ domain, client }) => {
      const { order } = await orThrow(domain.placeOrder('shop', { reference, items: [tea] }));
      await this.shelves.put(client, shelf, order.id);
      return order;
    });
  }

  @Get(':id')
  find(@Param('id') id: string) {
    return orThrow(this.orders.domain.getOrder('shop', id));
  }
}

@Module({ controllers: [PickUps], providers: [Shelves, { provide: APP_FILTER, useClass: RejectionsFilter }] })
export class PickUpsModule {}
