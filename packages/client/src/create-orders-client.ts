import { bindCustomers, type Customers } from './customers.ts';
import type { DefaultDefinition, Definition } from './definition.ts';
import { bindEvents, type Events } from './events.ts';
import type { ClientOptions } from './options.ts';
import { bindOrders, type Orders } from './orders.ts';
import { readSettings } from './transport/settings.ts';
import { bindWebhooks, type Webhooks } from './webhooks.ts';

/** Every operation of the API. */
export interface OrdersClient<D extends Definition = DefaultDefinition> extends Orders<D> {
  readonly customers: Customers;
  readonly events: Events<D>;
  readonly webhooks: Webhooks<D>;
}

/**
 * Creates a client of a server of orders.
 *
 * Every write has an idempotency key, so that retries are safe. Network errors, timeouts and the statuses 429, 502, 503
 * and 504 are retried. The result is an error value of a closed union; only a program error throws. For a server with a
 * definition of its own: `createOrdersClient<typeof BAKERY>(…)`.
 *
 * @example
 * const orders = createOrdersClient({ baseUrl: 'https://orders.example.com', credentials: { apiKey } });
 *
 * @throws {TypeError} an option is invalid
 */
export function createOrdersClient<D extends Definition = DefaultDefinition>(options: ClientOptions): OrdersClient<D> {
  const settings = readSettings(options);
  return {
    ...bindOrders<D>(settings),
    customers: bindCustomers(settings),
    events: bindEvents<D>(settings),
    webhooks: bindWebhooks<D>(settings),
  };
}
