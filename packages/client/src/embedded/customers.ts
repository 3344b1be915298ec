import type { Customer, CustomerWritten, OrderDefinition, UntypedDomain } from '@orders/domain';
import { createAs, type OwnerContext, readAs, updateAs, writeAs } from './calls.ts';
import type { OwnerCustomers } from './client.ts';
import type { OwnerErrors } from './errors.ts';
import { decodeText, listingOf, type OwnerPage, toOwnerPage } from './pages.ts';

/** Binds the use cases of customers to one owner. */
export function customersOf(context: OwnerContext, domain: UntypedDomain<OrderDefinition>): OwnerCustomers {
  const { owner } = context;
  const written = ({ customer }: CustomerWritten) => ({ customer });
  const get: OwnerCustomers['get'] = (id, options = {}) => readAs(options, () => domain.getCustomer(owner, id));
  const change: OwnerCustomers['change'] = (id, patch, options = {}) =>
    writeAs(context, options, (rest) => domain.changeCustomer(owner, id, patch, rest), written);
  return {
    get,
    change,
    create: (input, options = {}) =>
      createAs(context, options, (rest) => domain.createCustomer(owner, input, rest), written),
    list: (query = {}) =>
      listingOf(
        ({ signal, after, ...rest }) =>
          readAs<OwnerPage<Customer>, OwnerErrors['list']>({ signal }, () =>
            domain
              .listCustomers(owner, { ...rest, after: decodeText(after) })
              .map((page) => toOwnerPage(page, (customer) => customer)),
          ),
        query,
      ),
    update: (id, decide, options = {}) =>
      updateAs(
        context,
        (read) => get(id, read),
        decide,
        (patch, rest) => change(id, patch, rest),
        options,
      ),
    delete: (id, options = {}) =>
      writeAs(
        context,
        options,
        (rest) => domain.deleteCustomer(owner, id, rest),
        () => ({}),
      ),
  };
}
