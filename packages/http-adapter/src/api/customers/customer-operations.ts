import {
  CUSTOMER_FILTERS,
  PAGE_LIMIT_DEFAULT,
  parseCustomerDataQuery,
  parseCustomerQuery,
  type UntypedDomain,
} from '@orders/domain';
import { readPage, readSortedList } from '../../request/page-request.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { changed, created, toResponse, uncached } from '../../response/responses.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES, PATCH_TYPES } from '../../request/media-types.ts';
import {
  CHANGE_HEADERS,
  CREATION_HEADERS,
  readAction,
  readChange,
  readCreation,
  readId,
  readQuery,
} from '../../request/request-parameters.ts';
import type { FastifyRequest } from 'fastify';
import { ownerOf } from '../../request-state.ts';
import { requireScopes, type ScopeChallenge } from '../event-scopes.ts';
import { GET, type Operation, READ, WRITE } from '../operation.ts';
import { deletion, listing, retrieval } from '../resource-operations.ts';
import { customerData } from './customer-data-schemas.ts';
import { filterQuery, PAGE_QUERY, RANGES, SORT_QUERY } from '../schemas.ts';
import {
  Customer,
  CustomerChange,
  CustomerList,
  CustomerSearch,
  ERASED_CUSTOMER,
  NEW_CUSTOMER,
  NewCustomer,
} from './customer-schemas.ts';

/** Returns the operations on customers. */
export function customerOperations(domain: UntypedDomain, scopeChallenge: ScopeChallenge): readonly Operation[] {
  return [
    {
      id: 'list_customers',
      summary: 'List customers',
      description: `Returns one page of your customers. A page has at least one customer. It ends early if its customers would exceed 256 KiB of metadata in total. To find a customer by email, search, because URLs must not contain personal data. ${RANGES}`,
      ...GET,
      path: '/customers',
      scope: 'customers:read',
      query: { ...PAGE_QUERY, ...SORT_QUERY, ...filterQuery(CUSTOMER_FILTERS, {}) },
      response: { schema: CustomerList },
      handle: listing(
        (request) => readSortedList(request, 'customers', CUSTOMER_FILTERS, parseCustomerQuery),
        (owner, { input }) => domain.listCustomers(owner, input),
      ),
    },
    {
      id: 'search_customers',
      summary: 'Find a customer by email',
      description:
        'Returns a list of the customer with this email, in any case, or of none. The email is in the body, because URLs must not contain personal data. Changes nothing, and counts as a read.',
      method: 'POST',
      path: '/customer_searches',
      scope: 'customers:read',
      cost: READ,
      body: {
        types: JSON_TYPES,
        schema: CustomerSearch,
        required: true,
        examples: { ada: { email: NEW_CUSTOMER.email } },
      },
      response: { schema: CustomerList },
      handle: (request) =>
        readAction(request)
          .andThen(() => readJson(request))
          .asyncAndThen((body) =>
            toResponse(domain.searchCustomers(ownerOf(request), body), (data) =>
              uncached({ data, page: { limit: PAGE_LIMIT_DEFAULT, has_more: false, next_cursor: null } }),
            ),
          ),
    },
    {
      id: 'create_customer',
      summary: 'Create a customer',
      description: 'A retry with the same `Idempotency-Key` creates no second customer.',
      method: 'POST',
      path: '/customers',
      scope: 'customers:write',
      cost: WRITE,
      supports: CREATION_HEADERS,
      body: { types: JSON_TYPES, schema: NewCustomer, required: true, examples: { ada: NEW_CUSTOMER } },
      status: 201,
      response: { schema: Customer },
      // Not found: a retry of the creation after the customer was deleted, because deletion erases the recorded response.
      problems: ['email_taken', 'customer_not_found'],
      handle: (request) =>
        readCreation(request)
          .andThen((options) => readJson(request).map((body) => ({ options, body })))
          .asyncAndThen(({ options, body }) =>
            toResponse(domain.createCustomer(ownerOf(request), body, options), ({ customer, replayed }) =>
              created(request, '/customers', customer, replayed),
            ),
          ),
    },
    {
      id: 'get_customer',
      summary: 'Read a customer',
      path: '/customers/:id',
      scope: 'customers:read',
      ...retrieval(Customer, domain.getCustomer),
    },
    {
      id: 'change_customer',
      summary: 'Change a customer',
      description:
        'Applied completely or not at all. A patch that changes no value succeeds and leaves `version` and `updated_at` unchanged.',
      method: 'PATCH',
      path: '/customers/:id',
      scope: 'customers:write',
      cost: WRITE,
      supports: CHANGE_HEADERS,
      body: {
        types: PATCH_TYPES,
        schema: CustomerChange,
        required: true,
        examples: { rename: { name: 'Ada L.' } },
      },
      response: { schema: Customer },
      problems: ['email_taken', 'customer_erased'],
      handle: (request) =>
        readChange(request)
          .andThen(({ id, options }) => readJson(request).map((body) => ({ id, options, body })))
          .asyncAndThen(({ id, options, body }) =>
            toResponse(domain.changeCustomer(ownerOf(request), id, body, options), ({ customer, replayed }) =>
              changed(customer, replayed),
            ),
          ),
    },
    {
      id: 'delete_customer',
      summary: 'Delete a customer',
      description:
        'Returns 409 while orders refer to the customer. Also erases the customer from recorded responses of idempotency keys.',
      path: '/customers/:id',
      scope: 'customers:write',
      problems: ['customer_has_orders', 'customer_erased'],
      ...deletion(domain.deleteCustomer),
    },
    {
      id: 'list_customer_data',
      summary: 'Read everything about a person',
      description:
        'Returns one page of what is stored of the customer: the customer, then each of its orders by creation, followed by its versions. Also requires the scope `orders:read`.',
      ...GET,
      path: '/customers/:id/data',
      scope: 'customers:read',
      query: { limit: PAGE_QUERY.limit, after: PAGE_QUERY.after },
      response: { schema: customerData(domain.definition) },
      handle: listing(
        (request) => requireScopes(request, ['orders:read'], scopeChallenge).andThen(() => readDataRequest(request)),
        (owner, { id, input }) => domain.readCustomerData(owner, id, input),
      ),
    },
    {
      id: 'erase_customer',
      summary: 'Erase a person',
      description:
        'Removes email, name and metadata of the customer, and buyer, addresses, note, metadata, custom data, cancellation reason and tracking of each order that was ever assigned to it, from every version. Recorded at once; the orders follow in the background while `erasure.status` is `pending`. Items with their metadata, names of adjustments, references, external ids and idempotency keys stay, so they must not contain personal data. A repeated erasure is `pending` again, and erases what orders that still belong to the customer have got since. A retry, also of an earlier request for the customer, erases nothing, and returns the erased customer with its current `erasure.status`.',
      method: 'POST',
      path: '/customers/:id/erasures',
      scope: 'customers:erase',
      cost: WRITE,
      body: null,
      supports: CHANGE_HEADERS,
      response: { schema: Customer, examples: { erased: ERASED_CUSTOMER } },
      handle: (request) =>
        readChange(request).asyncAndThen(({ id, options }) =>
          toResponse(domain.eraseCustomer(ownerOf(request), id, options), ({ customer, replayed }) =>
            changed(customer, replayed),
          ),
        ),
    },
  ];
}

/** Parses path and query of a request for the data of a customer. */
function readDataRequest(request: FastifyRequest) {
  const faults = RequestFaults.of(request);
  const id = readId(request, faults);
  const list = { list: 'customer_data', sort: 'created_at', filter: [], value: 'string' } as const;
  const page = readPage(readQuery(request, ['limit', 'after'], faults), list, faults);
  const input = { limit: page.limit, after: page.after };
  return faults.toResult({ id, input, page }, () => parseCustomerDataQuery(input));
}
