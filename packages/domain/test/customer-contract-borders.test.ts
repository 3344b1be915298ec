import { type Customer, type CustomerRepository } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, OwnersById } from './contract-faults.ts';

/** Looks by the id alone, whoever asks, by the methods that `look` gives. */
const knowingOwners =
  (look: (customers: CustomerRepository, owners: OwnersById) => Partial<CustomerRepository>): Fault[1] =>
  ({ customers }) => {
    const owners = new OwnersById();
    const insert: CustomerRepository['insert'] = (owner, created, idempotency) => {
      owners.note(created.customer.id, owner);
      return customers.insert(owner, created, idempotency);
    };
    return { customers: { insert, ...look(customers, owners) } };
  };

/** Hands out what it keeps itself, by one of its ways: one object for all who ask. */
const leaking =
  (way: 'argument' | 'insert' | 'find' | 'list' | 'update'): Fault[1] =>
  ({ customers }) => {
    const kept = new Map<string, Customer>();
    const keep = (by: typeof way, customer: Customer): Customer => {
      if (by === way && !kept.has(customer.id)) kept.set(customer.id, customer);
      return kept.get(customer.id) ?? customer;
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
    knowingOwners((customers, owners) => ({ find: (owner, id) => customers.find(owners.of(id, owner), id) })),
    /another owner's customer cannot be found/,
  ],
  [
    "changes another owner's customer",
    knowingOwners((customers, owners) => ({
      update: (owner, id, change, idempotency) => customers.update(owners.of(id, owner), id, change, idempotency),
    })),
    /another owner's customer cannot be found, changed/,
  ],
  [
    "deletes another owner's customer",
    knowingOwners((customers, owners) => ({
      delete: (owner, id, judge, idempotency) => customers.delete(owners.of(id, owner), id, judge, idempotency),
    })),
    /another owner's customer cannot be found, changed or deleted/,
  ],
  [
    "lists others' customers",
    knowingOwners((customers, owners) => ({
      list: (_, query) =>
        ResultAsync.combine(owners.all().map((owner) => customers.list(owner, query))).map((pages) => ({
          data: pages.flatMap(({ data }) => data),
          next: null,
        })),
    })),
    /listing customers .* returns each customer once/,
  ],
  ['keeps the customer that it was given itself', leaking('argument'), /copies arguments and results/],
  ['hands out of an insert what it keeps', leaking('insert'), /copies arguments and results/],
  ['hands out of a find what it keeps', leaking('find'), /copies arguments and results/],
  ['hands out of a list what it keeps', leaking('list'), /copies arguments and results/],
  ['hands out of an update what it keeps', leaking('update'), /copies arguments and results/],
];

describe('the contract of the customer port, on borders,', () => {
  itCatches(customerRepositoryContract, faults);
});
