import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../scripts/breaking-changes.ts';
import { currentDocument } from '../../scripts/current-document.ts';
import { at, responsePlaces } from '../fixtures/json.ts';
import { changed, type Edit, GONE, objectAt, minus, plus } from './changes.ts';

/** The paths that the changes are about. A comparison of all takes several times as long. */
const PATHS = ['/orders', '/orders/{id}', '/orders/{id}/cancel'];
const WHOLE: unknown = JSON.parse(JSON.stringify(currentDocument()));
const CURRENT = changed(WHOLE, ['paths', Object.fromEntries(PATHS.map((path) => [path, at(WHOLE, 'paths', path)]))]);

const LIMIT = '/orders get parameters limit';
const READ = '/orders/{id} get responses';
const PROBLEMS = 'content application/problem+json schema';
const NOT_FOUND = { $ref: '#/components/schemas/OrderNotFoundProblem' };
const MALFORMED = { $ref: '#/components/schemas/MalformedRequestProblem' };
const SHOP = { name: 'shop', in: 'query', schema: { type: 'string' } };
const withoutFirst = (was: unknown) => (Array.isArray(was) ? was.slice(1) : was);

const BREAKING: readonly (readonly [string, RegExp, string, unknown])[] = [
  ['a path is gone', /^DELETE \/orders\/\{id\} is gone$/, '/orders/{id}', GONE],
  ['an operation id changes', /operation id/, '/orders get operationId', 'orders'],
  ['a scope changes', /orders:read/, '/orders get security', [{ ApiKey: ['orders'] }]],
  ['another header has the key', /ApiKey/, 'components securitySchemes ApiKey name', 'Key'],
  ['a server is gone', /server http:\S+\/v1 is gone/, 'servers', withoutFirst],
  ['a parameter is gone', /query limit is gone/, '/orders get parameters', withoutFirst],
  ['one of a path is gone', /DELETE \/orders\/\{id\}: the parameter path id/, '/orders/{id} parameters', withoutFirst],
  ['a parameter is required', /query limit is required/, `${LIMIT} required`, true],
  ['a new one is', /query shop is required/, '/orders get parameters', plus({ ...SHOP, required: true })],
  ['the serialization of a parameter changes', /explode/, '/orders get parameters status explode', false],
  ['a default changes', /default/, `${LIMIT} schema default`, 50],
  ['an upper limit falls', /maximum is tighter/, `${LIMIT} schema maximum`, 50],
  ['a limit appears', /maxLength is tighter/, 'SortOrder maxLength', 1],
  ['a value is no longer accepted', /value -updated_at is gone/, 'SortOrder enum', minus('-updated_at')],
  ['only some values are accepted', /only listed values are accepted/, 'NewOrder properties note enum', ['x']],
  ['a pattern is added', /pattern changed/, 'NewOrder properties reference pattern', '^A'],
  ['null is no longer accepted', /type was string or null/, 'NewOrder properties note type', 'string'],
  ['a body is gone', /the body is gone/, '/orders/{id}/cancel post requestBody', GONE],
  ['a body is required', /the body is required/, '/orders/{id}/cancel post requestBody required', true],
  ['a member of requests is required', /note: is required/, 'NewOrder required', plus('note')],
  ['a member of requests is gone', /note: is gone/, 'NewOrder properties note', GONE],
  ['keys are no longer accepted', /additionalProperties rejects/, 'NewMetadata additionalProperties', false],
  ['duplicates are rejected', /duplicates/, 'NewOrder properties items uniqueItems', true],
  ['a media type is gone', /type application\/json/, '/orders post requestBody content application/json', GONE],
  ['a keyword cannot be compared', /this check cannot compare/, 'NewOrder not', { required: ['note'] }],
  ['a member of responses is gone', /note: is gone/, 'Order properties note', GONE],
  ['a member of responses may be absent', /note: may be absent/, 'Order required', minus('note')],
  ['one may be null', /version: the type/, 'Order properties version type', ['integer', 'null']],
  ['a number may be too large for the old format', /format changed/, 'Order properties version format', 'int64'],
  ['a new value is returned', /value lost is new in responses/, 'OrderStatus enum', plus('lost')],
  ['any value may be returned', /any value may be returned/, 'OrderStatus enum', GONE],
  ['one of several problems is gone', /malformed_request is gone/, `${READ} 400 ${PROBLEMS} oneOf`, withoutFirst],
  ['a problem is replaced', /order_not_found is gone/, `${READ} 404 ${PROBLEMS}`, MALFORMED],
  [
    'a member of a problem is gone',
    /precondition_failed\.current_version: is gone/,
    'PreconditionFailedProblem allOf 1 properties current_version',
    GONE,
  ],
  ['the pattern of a header changes', /pattern changed/, 'components headers ETag schema pattern', '^W/'],
  ['a status is gone', /the status 304 is gone/, `${READ} 304`, GONE],
  ['a success is new', /the success 202 is new/, '/orders post responses 202', {}],
  ['a header is gone', /header ETag is gone/, `${READ} 200 headers ETag`, GONE],
  ['one of all is gone', /DELETE \/orders\/\{id\} 503: the header Vary is gone/, 'x-response-headers Vary', GONE],
  ['one of all may be absent', /304: the header X-Request-Id may/, 'x-response-headers X-Request-Id required', GONE],
  ['a header may be absent', /header ETag may be absent/, 'components headers ETag required', GONE],
];

const COMPATIBLE: readonly (readonly [string, ...Edit[]])[] = [
  ['nothing changes'],
  ['an operation is new', ['/shops', { get: { operationId: 'list_shops', responses: {} } }]],
  ['an optional parameter is new', ['/orders get parameters', plus(SHOP)]],
  ['a member of responses is new', ['Order properties shop', { type: 'string' }]],
  ['an optional member of requests is new', ['NewOrder properties shop', { type: 'string' }]],
  ['a member of responses is always present', ['Page required', plus('offset')]],
  ['null is no longer returned', ['Order properties note type', 'string']],
  ['null is accepted', ['NewLineItem properties sku type', ['string', 'null']]],
  ['a limit of requests is wider', ['NewOrder properties note maxLength', 4000]],
  ['a pattern of requests is removed', ['NewLineItem properties sku pattern', GONE]],
  ['a value of a parameter is new', ['SortOrder enum', plus('total')]],
  ['a currency is new', ['Currency x-extensible-enum', plus('XTS')]],
  ['the pattern of an open enumeration changes', ['EventType pattern', '.']],
  ['a status of problems is new', ['/orders get responses 451', {}]],
  ['a problem is new beside several', [`${READ} 400 ${PROBLEMS} oneOf`, plus(NOT_FOUND)]],
  ['a problem is new beside a single one', [`${READ} 404 ${PROBLEMS}`, { oneOf: [NOT_FOUND, MALFORMED] }]],
  ['one without their members is', [`${READ} 412 ${PROBLEMS}`, (was: unknown) => ({ oneOf: [was, NOT_FOUND] })]],
  ['a header is new', [`${READ} 200 headers Server-Timing`, { schema: { type: 'string' } }]],
  ['another way to authenticate is new', ['/orders get security', plus({ Cookie: ['orders:read'] })]],
  ['a media type of requests is new', ['/orders post requestBody content text/csv', {}]],
  ['a parameter moves', ['/orders get parameters', (was: unknown) => Array.isArray(was) && was.toReversed()]],
  ['an operation is deprecated', ['/orders get deprecated', true]],
  ['a description changes', ['Order properties note description', 'Words']],
  [
    'a header of one response is in every response',
    ['x-response-headers Retry-After', { $ref: '#/components/headers/Retry-After' }],
    [`${READ} 503 headers Retry-After`, GONE],
  ],
  [
    'each response has a header instead of the document',
    ...responsePlaces(CURRENT).map((place): Edit => {
      const headers = { ...objectAt(CURRENT, ...place, 'headers'), Vary: at(CURRENT, 'x-response-headers', 'Vary') };
      return [`${place.join(' ')} headers`, headers];
    }),
    ['x-response-headers Vary', GONE],
  ],
];

const breakingWhen = (...edits: readonly Edit[]) => breakingChanges(CURRENT, changed(CURRENT, ...edits));

describe('a change of the document breaks clients when', () => {
  it.each(BREAKING)('%s', (_, reason, place, to) => {
    expect(breakingWhen([place, to]).filter((each) => reason.test(each))).not.toEqual([]);
  });
});

describe('a change of the document is compatible when', () => {
  it.each(COMPATIBLE.map(([name, ...edits]) => [name, edits] as const))('%s', (_, edits) =>
    expect(breakingWhen(...edits)).toEqual([]),
  );

  it.each([
    [20_000, 16_000, false],
    [20_000, 15_999, true],
    [15_000, 14_999, true],
  ])('the maximum length of If-Match falls from %i to %i, unless a value could be sent: %s', (from, to, isBroken) => {
    const [before, after] = [from, to].map((length) => changed(CURRENT, ['EntityTags maxLength', length]));
    expect(breakingChanges(before, after).length > 0).toBe(isBroken);
  });
});
