import { errAsync } from 'neverthrow';
import { OwnersById } from '../contract-faults.ts';
import { type EndpointFault, type Inject, replacing } from './faulty-endpoints.ts';

/** Injects a store that looks endpoints up by their id alone. */
const byIdAlone: Inject = (store) => {
  const owners = new OwnersById();
  return replacing((correct) => ({
    insert: (owner, created, idempotency) => {
      owners.note(created.endpoint.id, owner);
      return correct.insert(owner, created, idempotency);
    },
    find: (owner, id) => correct.find(owners.of(id, owner), id),
  }))(store);
};

/** Faults of lookups and lists. */
export const readFaults: readonly EndpointFault[] = [
  ['finds the endpoints of other owners', byIdAlone, /of another owner is not found/],
  [
    'compares ids with their case',
    replacing((correct) => ({
      find: (owner, id) =>
        id === id.toLowerCase() ? correct.find(owner, id) : errAsync({ type: 'webhook_endpoint_not_found', id }),
    })),
    /accessible by an id in either case/,
  ],
  [
    'lists in the order of creation only',
    replacing((correct) => ({ list: (owner, query) => correct.list(owner, { ...query, sort: 'created_at' }) })),
    /in each sort order/,
  ],
  [
    'ends a list after its first page',
    replacing((correct) => ({
      list: (owner, query) => correct.list(owner, query).map((page) => ({ ...page, next: null })),
    })),
    /pages that continue/,
  ],
  [
    'ignores the offset',
    replacing((correct) => ({ list: (owner, query) => correct.list(owner, { ...query, offset: 0 }) })),
    /skips as many endpoints/,
  ],
];
