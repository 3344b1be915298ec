import { type CustomerWritten, type Domain, type OrderDefinition, untyped } from '@orders/domain';
import { update } from '../calls/update.ts';
import type { Customers } from '../customers.ts';
import { create, list, nothing, type OwnerContext, read, unchanged, write } from './calls.ts';
import { decodeText } from './pages.ts';

/** Binds the use cases of customers to one owner. */
export function customersOf(context: OwnerContext, useCases: Domain<OrderDefinition>): Customers {
  const { owner } = context;
  const domain = untyped(useCases);
  const written = ({ customer }: CustomerWritten) => ({ customer });
  const get: Customers['get'] = (id, options = {}) => read(options, () => domain.getCustomer(owner, id));
  const change: Customers['change'] = (id, patch, options = {}) =>
    write(context, options, (rest) => domain.changeCustomer(owner, id, patch, rest), written);
  return {
    get,
    change,
    create: (input, options = {}) =>
      create(context, options, (rest) => domain.createCustomer(owner, input, rest), written),
    list: (query = {}) =>
      list(
        query,
        ({ after, ...rest }) => domain.listCustomers(owner, { ...rest, after: decodeText(after) }),
        unchanged,
      ),
    update: (id, decide, options = {}) => update(id, { get, change }, decide, options),
    delete: (id, options = {}) => write(context, options, (rest) => domain.deleteCustomer(owner, id, rest), nothing),
  };
}
