import { describe, expect, it } from 'vitest';
import { at } from './json.ts';
import { breakingChanges } from '../scripts/breaking-changes.ts';
import { currentDocument } from '../scripts/current-document.ts';
import {
  breakingWhen,
  type Change,
  members,
  operation,
  problems,
  schema,
  property,
  response,
  responses,
  set,
  drop,
  list,
  without,
} from './openapi-changes.ts';

const COMPATIBLE: readonly (readonly [string, Change])[] = [
  ['nothing changes', () => undefined],
  [
    'an operation is new',
    (d) => set(members(d, 'paths'), '/shops', { get: { operationId: 'list_shops', responses: {} } }),
  ],
  ['a method is new', (d) => set(members(d, 'paths', '/orders'), 'put', { operationId: 'put_orders', responses: {} })],
  [
    'an optional parameter is new',
    (d) =>
      list(operation(d, '/orders', 'get'), 'parameters').push({
        name: 'shop',
        in: 'query',
        schema: { type: 'string' },
      }),
  ],
  ['a member of responses is new', (d) => set(members(schema(d, 'Order'), 'properties'), 'shop', { type: 'string' })],
  [
    'an optional member of requests is new',
    (d) => set(members(schema(d, 'NewOrder'), 'properties'), 'shop', { type: 'string' }),
  ],
  ['a member of requests is optional', (d) => without(schema(d, 'NewOrder'), 'required', 'items')],
  ['a member of responses is always present', (d) => list(schema(d, 'Page'), 'required').push('offset')],
  ['null is no longer returned', (d) => set(property(d, 'Order', 'note'), 'type', 'string')],
  ['null is accepted', (d) => set(property(d, 'NewLineItem', 'sku'), 'type', ['string', 'null'])],
  ['a limit of requests is wider', (d) => set(property(d, 'NewOrder', 'note'), 'maxLength', 4000)],
  ['a limit of responses is wider', (d) => set(property(d, 'Order', 'note'), 'maxLength', 4000)],
  ['a pattern of requests is removed', (d) => drop(property(d, 'NewLineItem', 'sku'), 'pattern')],
  ['a value of a parameter is new', (d) => list(schema(d, 'SortOrder'), 'enum').push('total')],
  ['a currency is new', (d) => list(schema(d, 'Currency'), 'x-extensible-enum').push('XTS')],
  ['the pattern of an open enumeration changes', (d) => set(schema(d, 'EventType'), 'pattern', '.')],
  ['a status of problems is new', (d) => set(members(operation(d, '/orders', 'get'), 'responses'), '451', {})],
  ['a problem is new beside several', (d) => problems(d, 400).push(at(problems(d, 404), 0))],
  ['a problem is new beside a single one', (d) => problems(d, 404).push(at(problems(d, 400), 0))],
  ['a problem without their members is new beside others', (d) => problems(d, 412).push(at(problems(d, 404), 0))],
  [
    'a header is new',
    (d) => set(members(response(d, 200), 'headers'), 'Server-Timing', { schema: { type: 'string' } }),
  ],
  ['a header is always present', (d) => set(members(d, 'components', 'headers', 'Link'), 'required', true)],
  [
    'another way to authenticate is new',
    (d) => list(operation(d, '/orders', 'get'), 'security').push({ Bearer: ['orders:read'] }),
  ],
  [
    'a media type of requests is new',
    (d) => set(members(operation(d, '/orders', 'post'), 'requestBody', 'content'), 'text/csv', {}),
  ],
  ['a server is new', (d) => list(members(d), 'servers').push({ url: '/v2' })],
  ['a parameter moves', (d) => list(operation(d, '/orders', 'get'), 'parameters').reverse()],
  ['an operation is deprecated', (d) => set(operation(d, '/orders', 'get'), 'deprecated', true)],
  ['a description changes', (d) => set(property(d, 'Order', 'note'), 'description', 'Words')],
  ['an example changes', (d) => set(schema(d, 'Order'), 'examples', [])],
  [
    'a header of one response is in every response',
    (d) => {
      set(members(d, 'x-response-headers'), 'Retry-After', at(response(d, 503), 'headers', 'Retry-After'));
      drop(members(response(d, 503), 'headers'), 'Retry-After');
    },
  ],
  [
    'each response has a header instead of the document',
    (d) => {
      const header = at(d, 'x-response-headers', 'Vary');
      for (const each of responses(d)) set(members(each, 'headers'), 'Vary', header);
      drop(members(d, 'x-response-headers'), 'Vary');
    },
  ],
];

/** Sets the maximum length of the header If-Match. */
const ofLength =
  (maxLength: number): Change =>
  (d) =>
    set(schema(d, 'EntityTags'), 'maxLength', maxLength);

describe('the maximum length of a header', () => {
  it.each([
    [20_000, 16_000, 0],
    [20_000, 15_999, 1],
    [15_000, 14_999, 1],
  ])('can change from %i to %i if no longer value could be sent', (from, to, broken) => {
    const before: unknown = structuredClone(currentDocument());
    const after: unknown = structuredClone(before);
    ofLength(from)(before);
    ofLength(to)(after);
    expect(breakingChanges(before, after).length > 0).toBe(broken === 1);
  });
});

describe('a change is compatible when', () => {
  it.each(COMPATIBLE)('%s', (_, change) => {
    expect(breakingWhen(change)).toEqual([]);
  });
});
