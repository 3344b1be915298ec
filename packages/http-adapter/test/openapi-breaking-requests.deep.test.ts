import { describe, expect, it } from 'vitest';
import { at } from './json.ts';
import {
  breakingWhen,
  type Change,
  members,
  operation,
  schema,
  property,
  parameter,
  set,
  drop,
  list,
  without,
} from './openapi-changes.ts';

const BREAKING: readonly (readonly [string, RegExp, Change])[] = [
  ['a path is gone', /^DELETE \/orders\/\{id\} is gone$/, (d) => drop(members(d, 'paths'), '/orders/{id}')],
  ['an operation is gone', /^GET \/orders is gone$/, (d) => drop(members(d, 'paths', '/orders'), 'get')],
  [
    'a path is renamed',
    /^GET \/customers is gone$/,
    (d) => {
      set(members(d, 'paths'), '/clients', at(d, 'paths', '/customers'));
      drop(members(d, 'paths'), '/customers');
    },
  ],
  ['an operation id changes', /operation id/, (d) => set(operation(d, '/orders', 'get'), 'operationId', 'orders')],
  ['a scope changes', /orders:read/, (d) => set(operation(d, '/orders', 'get'), 'security', [{ ApiKey: ['orders'] }])],
  [
    'a scope is added',
    /orders:read/,
    (d) => list(members(d, 'paths', '/orders', 'get', 'security', 0), 'ApiKey').push('x'),
  ],
  [
    'another header has the key',
    /ApiKey/,
    (d) => set(members(d, 'components', 'securitySchemes', 'ApiKey'), 'name', 'Key'),
  ],
  ['a server is gone', /server \/v1/, (d) => list(members(d), 'servers').shift()],
  ['a parameter is gone', /query limit is gone/, (d) => list(operation(d, '/orders', 'get'), 'parameters').shift()],
  [
    'a parameter of all operations of a path is gone',
    /DELETE \/orders\/\{id\}: the parameter path id is gone/,
    (d) => list(members(d, 'paths', '/orders/{id}'), 'parameters').shift(),
  ],
  ['a parameter is renamed', /query limit is gone/, (d) => set(parameter(d, '/orders', 'limit'), 'name', 'size')],
  [
    'a parameter is required',
    /query limit is required/,
    (d) => set(parameter(d, '/orders', 'limit'), 'required', true),
  ],
  [
    'a new parameter is required',
    /new parameter query shop is required/,
    (d) =>
      list(operation(d, '/orders', 'get'), 'parameters').push({
        name: 'shop',
        in: 'query',
        required: true,
        schema: { type: 'string' },
      }),
  ],
  [
    'the serialization of a parameter changes',
    /explode/,
    (d) => set(parameter(d, '/orders', 'status'), 'explode', false),
  ],
  ['a default changes', /default/, (d) => set(members(parameter(d, '/orders', 'limit'), 'schema'), 'default', 50)],
  [
    'an upper limit falls',
    /maximum is tighter/,
    (d) => set(members(parameter(d, '/orders', 'limit'), 'schema'), 'maximum', 50),
  ],
  ['a lower limit rises', /minLength is tighter/, (d) => set(property(d, 'NewOrder', 'reference'), 'minLength', 2)],
  ['a limit appears', /maxLength is tighter/, (d) => set(schema(d, 'SortOrder'), 'maxLength', 1)],
  [
    'a value is no longer accepted',
    /value -updated_at is gone/,
    (d) => without(schema(d, 'SortOrder'), 'enum', '-updated_at'),
  ],
  [
    'only some values are accepted',
    /only listed values are accepted/,
    (d) => set(property(d, 'NewOrder', 'note'), 'enum', ['x']),
  ],
  ['a pattern is added', /pattern changed/, (d) => set(property(d, 'NewOrder', 'reference'), 'pattern', '^A')],
  [
    'a parameter has another type',
    /type was integer/,
    (d) => set(members(parameter(d, '/orders', 'limit'), 'schema'), 'type', 'string'),
  ],
  [
    'null is no longer accepted',
    /type was string or null/,
    (d) => set(property(d, 'NewOrder', 'note'), 'type', 'string'),
  ],
  ['a body is gone', /the body is gone/, (d) => drop(operation(d, '/orders/{id}/cancel', 'post'), 'requestBody')],
  [
    'a body is required',
    /the body is required/,
    (d) => set(members(operation(d, '/orders/{id}/cancel', 'post'), 'requestBody'), 'required', true),
  ],
  [
    'a member of requests is required',
    /note: is required/,
    (d) => list(schema(d, 'NewOrder'), 'required').push('note'),
  ],
  ['a member of requests is gone', /note: is gone/, (d) => drop(members(schema(d, 'NewOrder'), 'properties'), 'note')],
  [
    'further keys are no longer accepted',
    /additionalProperties rejects/,
    (d) => set(schema(d, 'NewMetadata'), 'additionalProperties', false),
  ],
  ['duplicates are rejected', /duplicates/, (d) => set(property(d, 'NewOrder', 'items'), 'uniqueItems', true)],
  [
    'a media type of requests is gone',
    /media type application\/json/,
    (d) => drop(members(operation(d, '/orders', 'post'), 'requestBody', 'content'), 'application/json'),
  ],
  [
    'a keyword appears that cannot be compared',
    /not changed, which this check cannot compare/,
    (d) => set(schema(d, 'NewOrder'), 'not', { required: ['note'] }),
  ],
];

describe('a change of requests is breaking when', () => {
  it.each(BREAKING)('%s', (_, reason, change) => {
    expect(breakingWhen(change).filter((each) => reason.test(each))).not.toEqual([]);
  });
});
