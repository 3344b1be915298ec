import { jsonOf } from './calls/json.ts';
import type { ResultAsync } from 'neverthrow';
import type {
  ChangeCustomerError,
  CreateCustomerError,
  CustomerDataError,
  DeleteCustomerError,
  EraseCustomerError,
  GetCustomerError,
  ListError,
  SearchCustomersError,
  UpdateCustomerError,
} from './errors.ts';
import type { FilteredQuery, Listing, PageQuery } from './listing.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from './options.ts';
import type { Customer, CustomerDataLine, CustomerPatch, CustomerSearch, NewCustomer, Page } from './schemas.ts';
import { update } from './calls/update.ts';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import { Operations } from './operations.ts';
import type { Settings } from './transport/settings.ts';
import type { WriteResponse } from './transport/writes.ts';

/** The result of a write of a customer. */
export interface CustomerWritten extends Written {
  readonly customer: Customer;
}

/** A query for everything that is stored of a customer. */
export interface CustomerDataQuery extends Omit<PageQuery, 'offset'>, RequestOptions {}

/** The operations on customers. */
export interface Customers {
  /**
   * Creates a customer.
   *
   * @example
   * const created = await orders.customers.create({ email: 'ada@example.com' });
   */
  readonly create: (input: NewCustomer, options?: WriteOptions) => ResultAsync<CustomerWritten, CreateCustomerError>;

  /**
   * Returns one customer.
   *
   * @example
   * const customer = await orders.customers.get(id);
   */
  readonly get: (id: string, options?: RequestOptions) => ResultAsync<Customer, GetCustomerError>;

  /**
   * Lists customers, newest first, and reads further pages when the iteration reaches them.
   *
   * @example
   * for await (const customer of orders.customers.list()) console.log(customer.email);
   */
  readonly list: (query?: FilteredQuery) => Listing<Customer, ListError>;

  /**
   * Returns the customer with an email, in any case, or an empty list.
   *
   * @example
   * const [ada] = (await orders.customers.search({ email: 'ada@example.com' })).unwrapOr([]);
   */
  readonly search: (
    input: CustomerSearch,
    options?: RequestOptions,
  ) => ResultAsync<readonly Customer[], SearchCustomersError>;

  /**
   * Changes a customer by a merge patch, as a whole or not at all.
   *
   * @example
   * const renamed = await orders.customers.change(id, { name: 'Ada' });
   */
  readonly change: (
    id: string,
    patch: CustomerPatch,
    options?: ChangeOptions,
  ) => ResultAsync<CustomerWritten, ChangeCustomerError>;

  /**
   * Reads a customer and changes it by the patch that a function makes of it, again at most five times when another change came in between.
   *
   * @example
   * const named = await orders.customers.update(id, ({ email }) => ({ name: email }));
   */
  readonly update: (
    id: string,
    decide: (customer: Customer) => CustomerPatch,
    options?: WriteOptions,
  ) => ResultAsync<CustomerWritten, UpdateCustomerError>;

  /**
   * Deletes a customer permanently, unless an order refers to it.
   *
   * @example
   * const deleted = await orders.customers.delete(id);
   */
  readonly delete: (id: string, options?: ChangeOptions) => ResultAsync<Written, DeleteCustomerError>;

  /**
   * Lists everything that is stored of a customer: the customer, its orders and their versions. Orders are as they are
   * stored, of any definition.
   *
   * @example
   * for await (const line of orders.customers.data(id)) console.log(JSON.stringify(line));
   */
  readonly data: (id: string, query?: CustomerDataQuery) => Listing<CustomerDataLine, CustomerDataError>;

  /**
   * Erases a person: the customer, and what is personal of its orders. While `erasure.status` is `pending`, orders follow.
   * Erasing again, under another key or none, erases what the orders that it still has have got since.
   *
   * @example
   * const erased = await orders.customers.erase(id);
   */
  readonly erase: (id: string, options?: ChangeOptions) => ResultAsync<CustomerWritten, EraseCustomerError>;
}

/** Binds the operations on customers to a server. */
export function bindCustomers(settings: Settings): Customers {
  const api = new Operations(settings, '/customers', 'customer_not_found');
  const written = ({ body, ...rest }: WriteResponse): CustomerWritten => ({
    customer: uncheckedCast<Customer>(body),
    ...rest,
  });
  const get: Customers['get'] = (id, options = {}) => api.read('get_customer', api.at(id), options);
  const change: Customers['change'] = (id, patch, options = {}) =>
    api.write('change_customer', 'PATCH', api.at(id), options, patch).map(written);
  return {
    get,
    change,
    create: (input, options = {}) => api.write('create_customer', 'POST', '/customers', options, input).map(written),
    list: (query = {}) => api.list('list_customers', '/customers', query),
    search: (input, options = {}) => {
      const call = { method: 'POST', body: jsonOf(input), isList: true } as const;
      return api
        .read<Page<Customer>, 'search_customers'>('search_customers', '/customer_searches', options, call)
        .map(({ data }) => data);
    },
    update: (id, decide, options = {}) => update(id, { get, change }, decide, options),
    delete: (id, options = {}) => api.delete('delete_customer', id, options),
    data: (id, query = {}) => api.list('list_customer_data', api.at(id, '/data'), query),
    erase: (id, options = {}) => api.write('erase_customer', 'POST', api.at(id, '/erasures'), options).map(written),
  };
}
