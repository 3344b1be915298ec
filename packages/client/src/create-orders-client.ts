import type { ResultAsync } from 'neverthrow';
import { bindCustomers, type Customers } from './customers.ts';
import type { DefaultDefinition, Definition } from './definition.ts';
import { bindEvents, type Events } from './events.ts';
import { bindErasures, type Erasures } from './erasures.ts';
import type { ReadStatisticsError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import { bindOrders, type Orders } from './orders.ts';
import { bindStatistics, type OrderStatistics, type StatisticsQuery, type StatisticsRow } from './statistics.ts';
import { readSettings } from './transport/settings.ts';
import { bindWebhooks, type Webhooks } from './webhooks.ts';

/** Every operation of the API. */
export interface OrdersClient<D extends Definition = DefaultDefinition> extends Orders<D> {
  readonly customers: Customers;
  readonly erasures: Erasures;
  readonly events: Events<D>;

  /**
   * Returns how many orders were placed, and entered each status, in each hour, day or month of a range, with the sums of
   * their current totals.
   *
   * @example
   * const { data } = (await orders.statistics({ interval: 'day', from, before, time_zone: 'Europe/Berlin' }))._unsafeUnwrap();
   */
  readonly statistics: (query: StatisticsQuery) => ResultAsync<OrderStatistics<StatisticsRow<D>>, ReadStatisticsError>;
  readonly webhooks: Webhooks<D>;
}

/**
 * Creates a client of a server of orders.
 *
 * Every write has an idempotency key, so that retries are safe. Network errors, timeouts and the statuses 408, 425,
 * 429, 502 to 504 and 520 to 524 are retried. The result is an error value of a closed union; only a program error throws. For a server with a
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
    erasures: bindErasures(settings),
    events: bindEvents<D>(settings),
    statistics: bindStatistics<D>(settings),
    webhooks: bindWebhooks<D>(settings),
  };
}
