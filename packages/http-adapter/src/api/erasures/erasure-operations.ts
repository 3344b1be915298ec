import { PAGE_LIMIT_DEFAULT, parsePersonDataQuery, type PresentedErasure, type UntypedDomain } from '@orders/domain';
import { Type } from 'typebox';
import { canonicalPath } from '../../request/api-version.ts';
import { encodeCursor } from '../../request/cursor.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { withPosition } from '../../request/page-request.ts';
import { readAction, readCreation, readId } from '../../request/request-parameters.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { ownerOf, setCreatedId } from '../../request-state.ts';
import { replayHeader, toResponse, uncached } from '../../response/responses.ts';
import { customerData } from '../customers/customer-data-schemas.ts';
import { CustomerSearch, NEW_CUSTOMER } from '../customers/customer-schemas.ts';
import { requireScopes, type ScopeChallenge } from '../event-scopes.ts';
import { GET, type Operation, READ, WRITE } from '../operation.ts';
import { describedUuid, PAGE_QUERY, type SchemasOf } from '../schemas.ts';

const EXAMPLE: PresentedErasure = { id: '019b2a4e-8f00-7000-8000-0000000000ca', status: 'pending' };

const ERASURE: SchemasOf<PresentedErasure> = {
  id: describedUuid('Id of the erasure, a UUIDv7'),
  status: Type.Union([Type.Literal('pending'), Type.Literal('done')], {
    description: '`pending` until the customer and all orders are erased. Until then earlier data may appear',
  }),
};

const Erasure = Type.Object(ERASURE, {
  title: 'EmailErasure',
  description: 'The erasure of the person with an email. It has no personal data',
  examples: [EXAMPLE],
});

const PersonDataQuery = Type.Object(
  { ...CustomerSearch.properties, limit: Type.Optional(PAGE_QUERY.limit), after: Type.Optional(PAGE_QUERY.after) },
  { title: 'PersonDataQuery', description: 'What a person is found by, and the page', additionalProperties: false },
);

/** The cursors of a person's data. They depend on no email, which a digest would reveal. */
const LINES = { list: 'person_data', sort: 'id', filter: [], value: 'string' } as const;

/** Returns the operations on persons who are found by email, also guests. */
export function erasureOperations(domain: UntypedDomain, scopeChallenge: ScopeChallenge): readonly Operation[] {
  return [
    {
      id: 'erase_person',
      summary: 'Erase a person by email',
      description:
        'Erases the customer with this email, in any case, and every order that was ever assigned to it or whose buyer has or had this email, also those of guests and deleted ones: what `POST /customers/{id}/erasures` erases, and what the order has of its buyer and addresses. Recorded at once; the rest follows in the background while `status` is `pending`, and what gets the email until then may be erased, too. A retry erases nothing, and returns the current `status`.',
      method: 'POST',
      path: '/erasures',
      scope: 'customers:erase',
      cost: WRITE,
      supports: ['Idempotency-Key'],
      body: {
        types: JSON_TYPES,
        schema: CustomerSearch,
        required: true,
        examples: { guest: { email: NEW_CUSTOMER.email } },
      },
      status: 202,
      response: { schema: Erasure },
      handle: (request) =>
        readCreation(request)
          .andThen((options) => readJson(request).map((body) => ({ options, body })))
          .asyncAndThen(({ options, body }) =>
            toResponse(domain.erasePerson(ownerOf(request), body, options), ({ erasure, replayed }) => {
              setCreatedId(request, erasure.id);
              const location = `${canonicalPath('/erasures')}/${erasure.id}`;
              return uncached(erasure, 202).map((response) => ({
                ...response,
                headers: { ...response.headers, ...replayHeader(replayed) },
                location,
              }));
            }),
          ),
    },
    {
      id: 'get_erasure',
      summary: 'Read how far an erasure is',
      description: 'Never cached, because the end of an erasure is no version.',
      ...GET,
      path: '/erasures/:id',
      scope: 'customers:erase',
      response: { schema: Erasure },
      handle: (request) => {
        const faults = RequestFaults.of(request);
        const id = readId(request, faults);
        return readAction(request)
          .andThen(() => faults.toResult(id))
          .asyncAndThen((valid) =>
            toResponse(domain.getErasure(ownerOf(request), valid), (erasure) => uncached(erasure)),
          );
      },
    },
    {
      id: 'list_person_data',
      summary: 'Read everything about a person by email',
      description:
        'Returns one page of what is stored of the person with this email, also of a guest: the customer, then each order that an erasure would find, once, followed by its versions. Email and cursor are in the body, because URLs must not contain personal data. A page looks at a limited number of versions, so that it may be empty though `has_more` is true. Also requires the scope `orders:read`. Changes nothing, and counts as a read.',
      method: 'POST',
      path: '/person_data',
      scope: 'customers:read',
      cost: READ,
      body: {
        types: JSON_TYPES,
        schema: PersonDataQuery,
        required: true,
        examples: { guest: { email: NEW_CUSTOMER.email } },
      },
      response: { schema: customerData(domain.definition) },
      handle: (request) =>
        requireScopes(request, ['orders:read'], scopeChallenge)
          .andThen(() => readAction(request))
          .andThen(() => readJson(request))
          .asyncAndThen((body) => {
            const query = withPosition(body, LINES);
            return toResponse(domain.readPersonData(ownerOf(request), query), ({ data, next }) => {
              const limit = parsePersonDataQuery(query)
                .map((parsed) => parsed.limit)
                .unwrapOr(PAGE_LIMIT_DEFAULT);
              const next_cursor = next && encodeCursor(LINES, next);
              return uncached({ data, page: { limit, has_more: next !== null, next_cursor } });
            });
          }),
    },
  ];
}
