import { Global, Module } from '@nestjs/common';
import { orThrow } from '@orders/domain';
import { createDomain } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { Orders, type Work } from './orders.module.ts';

class InMemoryOrders extends Orders {
  readonly #store = inMemoryStore();
  readonly domain = createDomain(this.#store);

  /** Has no client: the test replaces what stores rows of the application. */
  transaction<T>(work: Work<T>): Promise<T> {
    const client = { query: () => Promise.reject(new Error('there is no database')) };
    return orThrow(this.#store.transaction(async ({ domain }) => ok(await work({ domain, client }))));
  }
}

/** Takes the place of `OrdersModule` in tests. */
@Global()
@Module({ providers: [{ provide: Orders, useClass: InMemoryOrders }], exports: [Orders] })
export class OrdersTestingModule {}
