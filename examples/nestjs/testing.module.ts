import { Global, Module } from '@nestjs/common';
import { createDomain } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { Orders, type Work } from './orders.module.ts';

class InMemoryOrders extends Orders {
  readonly domain = createDomain(inMemoryStore());

  /** Keeps the order when the work throws, and has no client: the test replaces what stores rows of the application. */
  transaction<T>(work: Work<T>): Promise<T> {
    return work({ domain: this.domain, client: { query: () => Promise.reject(new Error('there is no database')) } });
  }
}

/** Takes the place of `OrdersModule` in tests. */
@Global()
@Module({ providers: [{ provide: Orders, useClass: InMemoryOrders }], exports: [Orders] })
export class OrdersTestingModule {}
