import { describe, expect, it } from 'vitest';
import { at } from './json.ts';
import {
  breakingWhen,
  type Change,
  members,
  operation,
  problems,
  schema,
  property,
  response,
  set,
  drop,
  list,
  without,
} from './openapi-changes.ts';

const BREAKING: readonly (readonly [string, RegExp, Change])[] = [
  ['a member of responses is gone', /note: is gone/, (d) => drop(members(schema(d, 'Order'), 'properties'), 'note')],
  [
    'a member of responses is renamed',
    /total: is gone/,
    (d) => {
      set(members(schema(d, 'Order'), 'properties'), 'sum', property(d, 'Order', 'total'));
      drop(members(schema(d, 'Order'), 'properties'), 'total');
    },
  ],
  [
    'a member of responses may be absent',
    /note: may be absent/,
    (d) => without(schema(d, 'Order'), 'required', 'note'),
  ],
  [
    'a member of responses has another type',
    /quantity: the type was integer and is string/,
    (d) => set(property(d, 'LineItem', 'quantity'), 'type', 'string'),
  ],
  [
    'a member of responses may be null',
    /version: the type/,
    (d) => set(property(d, 'Order', 'version'), 'type', ['integer', 'null']),
  ],
  [
    'a number may be too large for the old format',
    /format changed/,
    (d) => set(property(d, 'Order', 'version'), 'format', 'int64'),
  ],
  [
    'a new value is returned',
    /value lost is new in responses/,
    (d) => list(schema(d, 'OrderStatus'), 'enum').push('lost'),
  ],
  ['a value is no longer returned', /value paid is gone/, (d) => without(schema(d, 'OrderStatus'), 'enum', 'paid')],
  ['any value may be returned', /any value may be returned/, (d) => drop(schema(d, 'OrderStatus'), 'enum')],
  [
    'one of several problems is gone',
    /problem\+json: the problem malformed_request is gone/,
    (d) => problems(d, 400).shift(),
  ],
  [
    'a problem is replaced by another one',
    /problem\+json: the problem order_not_found is gone/,
    (d) => problems(d, 404).splice(0, 1, at(problems(d, 400), 0)),
  ],
  [
    'a member of a problem is gone',
    /precondition_failed\.current_version: is gone/,
    (d) => drop(members(schema(d, 'PreconditionFailedProblem'), 'allOf', 1, 'properties'), 'current_version'),
  ],
  [
    'a member of every problem is gone',
    /order_not_found\.request_id: is gone/,
    (d) => drop(members(schema(d, 'Problem'), 'properties'), 'request_id'),
  ],
  [
    'the pattern of a header changes',
    /pattern changed/,
    (d) => set(members(d, 'components', 'headers', 'ETag', 'schema'), 'pattern', '^W/'),
  ],
  [
    'a status is gone',
    /the status 304 is gone/,
    (d) => drop(members(operation(d, '/orders/{id}', 'get'), 'responses'), '304'),
  ],
  [
    'a success is new',
    /the success 202 is new/,
    (d) => set(members(operation(d, '/orders', 'post'), 'responses'), '202', {}),
  ],
  [
    'a media type of responses is gone',
    /media type application\/json/,
    (d) => drop(members(response(d, 200), 'content'), 'application/json'),
  ],
  ['a header is gone', /header ETag is gone/, (d) => drop(members(response(d, 200), 'headers'), 'ETag')],
  [
    'a header of every response is gone',
    /DELETE \/orders\/{id} 503: the header Vary is gone/,
    (d) => drop(members(d, 'x-response-headers'), 'Vary'),
  ],
  [
    'a header of every response may be absent',
    /GET \/orders\/{id} 304: the header X-Request-Id may be absent/,
    (d) => drop(members(d, 'x-response-headers', 'X-Request-Id'), 'required'),
  ],
  [
    'a response replaces a header of every response by an optional one',
    /GET \/orders\/{id} 200: the header Vary may be absent/,
    (d) => set(members(response(d, 200), 'headers'), 'Vary', { schema: { type: 'string' } }),
  ],
  [
    'a header may be absent',
    /header ETag may be absent/,
    (d) => drop(members(d, 'components', 'headers', 'ETag'), 'required'),
  ],
];

describe('a change of responses is breaking when', () => {
  it.each(BREAKING)('%s', (_, reason, change) => {
    expect(breakingWhen(change).filter((each) => reason.test(each))).not.toEqual([]);
  });
});
