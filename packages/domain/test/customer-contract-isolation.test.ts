import { type Customer, type CustomerRepository } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, OwnersById } from './contract-faults.ts';

/** Injects a store whose replaced methods find customers by id alone, for every owner. */
const ignoringOwners =
  (methods: (customers: CustomerRepository, owners: OwnersById) => Partial<CustomerRepository>): Fault[1] =>
  ({ customers }) => {
    const owners = new OwnersById();
    const insert: CustomerRepository['insert'] = (owner, created, idempotency) => {
      owners.note(created.customer.id, owner);
      return customers.insert(owner, created, idempotency);
    };
    return { customers: { insert, ...methods(customers, owners) } };
  };

/** Injects a store in which one operation shares its stored object with every caller. */
const sharing =
  (way: 'argument' | 'insert' | 'find' | 'list' | 'update'): Fault[1] =>
  ({ customers }) => {
    const stored = new Map<string, Customer>();
    const keep = (by: typeof way, customer: Customer): Customer => {
      if (by === way && !stored.has(customer.id)) stored.set(customer.id, customer);
      return stored.get(customer.id) ?? customer;
    };
    return {
      customers: {
        insert: (owner, created, idempotency) => {
          keep('argument', created.customer);
          return customers
            .insert(owner, created, idempotency)
            .map((it) => ({ ...it, customer: keep('insert', it.customer) }));
        },
        find: (owner, id) => customers.find(owner, id).map((found) => keep('find', found)),
        list: (owner, query) =>
          customers
            .list(owner, query)
            .map(({ data, next }) => ({ data: data.map((customer) => keep('list', customer)), next })),
        update: (owner, id, change, idempotency) =>
          customers
            .update(owner, id, change, idempotency)
            .map((it) => ({ ...it, customer: keep('update', it.customer) })),
      },
    };
  };

const faults: readonly Fault[] = [
  [
    "finds another owner's customer",
    ignoringOwners((customers, owners) => ({ find: (owner, id) => customers.find(owners.of(id, owner), id) })),
    /another owner's customer cannot be found/,
  ],
  [
    "changes another owner's customer",
    ignoringOwners((customers, owners) => ({
      update: (owner, id, change, idempotency) => customers.update(owners.of(id, owner), id, change, idempotency),
    })),
    /another owner's customer cannot be found, changed/,
  ],
  [
    "deletes another owner's customer",
    ignoringOwners((customers, owners) => ({
      delete: (owner, id, decide, idempotency) => customers.delete(owners.of(id, owner), id, decide, idempotency),
    })),
    /another owner's customer cannot be found, changed or deleted/,
  ],
  [
    'lists customers of other owners',
    ignoringOwners((customers, owners) => ({
      list: (_, query) =>
        ResultAsync.combine(owners.all().map((owner) => customers.list(owner, query))).map((pages) => ({
          data: pages.flatMap(({ data }) => data),
          next: null,
        })),
    })),
    /listing customers .* returns each customer once/,
  ],
  ['stores the customer argument without a copy', sharing('argument'), /copies arguments and results/],
  ['returns the stored object from an insert', sharing('insert'), /copies arguments and results/],
  ['returns the stored object from a find', sharing('find'), /copies arguments and results/],
  ['returns stored objects from a list', sharing('list'), /copies arguments and results/],
  ['returns the stored object from an update', sharing('update'), /copies arguments and results/],
];

describe('the contract of the customer port, on isolation,', () => {
  itCatches(customerRepositoryContract, faults);
});
