import { type DynamicModule, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type Domain, orThrow } from '@orders/domain';
import { createDomain } from '@orders/domain/runtime';
import { openDatabase, postgresStore, type Transaction } from '@orders/persistence';
import { ok } from 'neverthrow';

export type Work<T> = (transaction: Pick<Transaction, 'domain' | 'client'>) => Promise<T>;

/** What the application injects. Tests provide another one. */
export abstract class Orders {
  /** The use cases outside transactions. */
  abstract readonly domain: Domain;
  /** Stores all that the work writes when it returns, and nothing when it throws. */
  abstract transaction<T>(work: Work<T>): Promise<T>;
}

class PostgresOrders extends Orders implements OnModuleInit, OnApplicationShutdown {
  readonly #database;
  readonly domain: Domain;

  constructor(url: string) {
    super();
    this.#database = openDatabase({ url });
    this.domain = createDomain(postgresStore(this.#database));
  }

  transaction<T>(work: Work<T>): Promise<T> {
    return orThrow(this.#database.transaction(async (transaction) => ok(await work(transaction))));
  }

  async onModuleInit(): Promise<void> {
    await this.#database.migrate();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#database.close();
  }
}

@Module({})
export class OrdersModule {
  static forRoot(url: string): DynamicModule {
    const orders = { provide: Orders, useFactory: () => new PostgresOrders(url) };
    return { module: OrdersModule, providers: [orders], exports: [Orders], global: true };
  }
}
