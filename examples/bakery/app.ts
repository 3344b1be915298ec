import { createDomain } from '@orders/domain/runtime';
import { type Authentication, ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import {
  openDatabase,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
} from '@orders/persistence';
import { fastify } from 'fastify';
import { BAKERY } from './bakery.ts';

/** Opens the orders of the bakery in a PostgreSQL: the use cases, the feed of their events, and the HTTP API. */
export async function openBakery(url: string, authentication: Authentication) {
  const database = openDatabase({ url, definition: BAKERY });
  await database.migrate();
  const orders = postgresOrderRepository(database);
  const customers = postgresCustomerRepository(database);
  const feed = postgresEventFeed(database);
  const domain = createDomain({ orders, customers });
  const publicBaseUrl = 'https://orders.bakery.example';
  const app = fastify(ordersServerOptions(() => publicBaseUrl));
  await app.register(ordersHttp, { domain, feed, authentication, publicBaseUrl });
  const close = async () => {
    await app.close();
    await database.close();
  };
  return { orders, customers, domain, feed, app, close };
}
