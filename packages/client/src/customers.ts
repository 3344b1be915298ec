import { errAsync, type ResultAsync } from 'neverthrow';
import type {
  ChangeCustomerError,
  CreateCustomerError,
  DeleteCustomerError,
  ErrorOf,
  GetCustomerError,
  ListError,
  UpdateCustomerError,
} from './errors.ts';
import { type Listing, listing, type PageQuery } from './listing.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from './options.ts';
import type { Sort } from './orders.ts';
import { readPage } from './page.ts';
import type { Customer, CustomerPatch, NewCustomer } from './schemas.ts';
import { PROBLEMS } from './generated/problems.ts';
import { isId } from './calls/keys.ts';
import { signalOf } from './calls/known-options.ts';
import { update } from './calls/update.ts';
import { trusted } from './calls/trusted.ts';
import type { Settings } from './transport/settings.ts';
import { read, write } from './transport/writes.ts';

/** A query for a list of customers or webhook endpoints. */
export interface SortedQuery extends PageQuery, RequestOptions {
  /** Default: newest first, by creation. */
  readonly sort?: Sort | undefined;
}

/** The result of a write of a customer. */
export interface CustomerWritten extends Written {
  readonly customer: Customer;
}

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
  readonly list: (query?: SortedQuery) => Listing<Customer, ListError>;

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
}

const NOT_FOUND: ErrorOf<'customer_not_found'> = { type: 'customer_not_found' };

/** Binds the operations on customers to a server. */
export function bindCustomers(settings: Settings): Customers {
  const written = ({ body, ...rest }: Written & { readonly body: unknown }): CustomerWritten => ({
    customer: trusted<Customer>(body),
    ...rest,
  });
  const get: Customers['get'] = (id, options = {}) =>
    isId(id)
      ? read<GetCustomerError>(
          settings,
          { path: `/customers/${id}`, signal: signalOf(options) },
          PROBLEMS.get_customer,
        ).map((body) => trusted<Customer>(body))
      : errAsync(NOT_FOUND);
  const change: Customers['change'] = (id, patch, options = {}) =>
    isId(id)
      ? write<ChangeCustomerError>(
          settings,
          { method: 'PATCH', path: `/customers/${id}`, body: patch },
          options,
          PROBLEMS.change_customer,
        ).map(written)
      : errAsync(NOT_FOUND);
  return {
    get,
    change,
    create: (input, options = {}) =>
      write<CreateCustomerError>(
        settings,
        { method: 'POST', path: '/customers', body: input },
        options,
        PROBLEMS.create_customer,
      ).map(written),
    list: (query = {}) =>
      listing(
        ({ signal, ...rest }: SortedQuery) =>
          readPage<Customer, ListError>(settings, '/customers', rest, PROBLEMS.list_customers, signal),
        query,
      ),
    update: (id, decide, options = {}) =>
      update(
        (read) => get(id, read),
        decide,
        (patch, rest) => change(id, patch, rest),
        options,
      ),
    delete: (id, options = {}) =>
      isId(id)
        ? write<DeleteCustomerError>(
            settings,
            { method: 'DELETE', path: `/customers/${id}` },
            options,
            PROBLEMS.delete_customer,
          ).map(({ body: _body, ...rest }) => rest)
        : errAsync(NOT_FOUND),
  };
}
