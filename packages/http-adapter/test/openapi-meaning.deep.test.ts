import { describe, expect, it } from 'vitest';
import { currentDocument } from '../scripts/current-document.ts';
import { differences } from '../scripts/document-meaning.ts';
import { at, behindReferences, isRecord, listAt, membersOf } from './json.ts';
import {
  type Change,
  drop,
  list,
  members,
  operation,
  parameter,
  problems,
  property,
  response,
  responses,
  schema,
  set,
  without,
} from './openapi-changes.ts';

const CURRENT: unknown = JSON.parse(JSON.stringify(currentDocument()));

/** Returns the places where a changed document differs. */
function placesWhen(change: Change): readonly string[] {
  const after: unknown = structuredClone(CURRENT);
  change(after);
  return differences(CURRENT, after).map((each) => each.at);
}

/** Replaces each reference to a response, a parameter or a header by its target. */
function inline(document: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => inline(document, each));
  if (!isRecord(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string' && !$ref.includes('/schemas/'))
    return inline(document, at(document, ...behindReferences({ ...members(document), value }, 'value')));
  return Object.fromEntries(membersOf(value).map((name) => [name, inline(document, value[name])]));
}

const EQUAL: readonly (readonly [string, Change])[] = [
  ['no change', () => undefined],
  [
    'responses, parameters and headers in place of the references to them',
    (d) => {
      set(members(d), 'paths', inline(d, at(d, 'paths')));
    },
  ],
  [
    'a schema in place of the reference to it',
    (d) =>
      set(members(d, 'components', 'schemas', 'Order', 'properties'), 'total', at(d, 'components', 'schemas', 'Money')),
  ],
  [
    'the members of a base in place of the reference to it',
    (d) => {
      const [base, own] = [
        schema(d, 'WebhookEndpoint'),
        members(d, 'components', 'schemas', 'WebhookEndpointWithSecret', 'allOf', 1),
      ];
      set(members(d, 'components', 'schemas'), 'WebhookEndpointWithSecret', {
        type: 'object',
        description: 'An endpoint and its new secret',
        properties: { ...members(base, 'properties'), ...members(own, 'properties') },
        required: [...listAt(own, 'required'), ...listAt(base, 'required')],
      });
    },
  ],
  [
    'the headers of every response in each of them',
    (d) => {
      for (const each of responses(d))
        set(each, 'headers', { ...members(d, 'x-response-headers'), ...members(each, 'headers') });
      drop(members(d), 'x-response-headers');
    },
  ],
  ['an example of a schema', (d) => set(schema(d, 'Order'), 'examples', [])],
];

const DIFFERENT: readonly (readonly [string, string, Change])[] = [
  ['a text', 'paths /orders get summary', (d) => set(operation(d, '/orders', 'get'), 'summary', 'Words')],
  ['an operation', 'paths /orders get operationId', (d) => drop(members(d, 'paths', '/orders'), 'get')],
  [
    'a scope',
    'paths /orders get security 0 Bearer 0',
    (d) => set(members(operation(d, '/orders', 'get'), 'security', 0), 'Bearer', []),
  ],
  [
    'a parameter',
    'paths /orders get parameters query limit schema maximum',
    (d) => drop(members(parameter(d, '/orders', 'limit'), 'schema'), 'maximum'),
  ],
  [
    'whether a body is required',
    'paths /orders post requestBody required',
    (d) => set(members(operation(d, '/orders', 'post'), 'requestBody'), 'required', false),
  ],
  [
    'a member of a body',
    'paths /orders post requestBody content application/json schema properties items maxItems',
    (d) => drop(property(d, 'NewOrder', 'items'), 'maxItems'),
  ],
  [
    'a status',
    'paths /orders/{id} get responses 304 description',
    (d) => drop(members(operation(d, '/orders/{id}', 'get'), 'responses'), '304'),
  ],
  [
    'a header',
    'paths /orders/{id} get responses 200 headers ETag required',
    (d) => drop(members(response(d, 200), 'headers'), 'ETag'),
  ],
  [
    'a header of every response',
    'paths /orders/{id} get responses 404 headers Vary required',
    (d) => drop(members(d, 'x-response-headers'), 'Vary'),
  ],
  [
    'a required member',
    'paths /orders get responses 200 content application/json schema properties data items required total',
    (d) => without(schema(d, 'Order'), 'required', 'total'),
  ],
  [
    'a member of a base',
    'paths /webhook_endpoints post responses 201 content application/json schema properties url maxLength',
    (d) => drop(property(d, 'WebhookEndpoint', 'url'), 'maxLength'),
  ],
  [
    'a problem',
    'paths /orders/{id} get responses 400 content application/problem+json schema oneOf 4 properties code const',
    (d) => problems(d, 400).pop(),
  ],
  [
    'the code of a problem',
    'paths /orders/{id} get responses 404 content application/problem+json schema properties code const',
    (d) =>
      set(
        members(d, 'components', 'schemas', 'OrderNotFoundProblem', 'allOf', 1, 'properties', 'code'),
        'const',
        'gone',
      ),
  ],
  [
    'the order of values',
    'paths /orders get parameters query sort schema enum 0',
    (d) => list(schema(d, 'SortOrder'), 'enum').reverse(),
  ],
  [
    'a webhook',
    'webhooks event post requestBody content application/json schema properties data properties actor maxLength',
    (d) => drop(schema(d, 'Actor'), 'maxLength'),
  ],
  [
    'a way to authenticate',
    'securitySchemes ApiKey name',
    (d) => set(members(d, 'components', 'securitySchemes', 'ApiKey'), 'name', 'X-Key'),
  ],
  [
    'the name of a component',
    'components schemas Shop',
    (d) => set(members(d, 'components', 'schemas'), 'Shop', { type: 'string' }),
  ],
];

describe('two documents say the same with another', () => {
  it.each(EQUAL)('%s', (_, change) => {
    expect(placesWhen(change)).toEqual([]);
  });
});

describe('two documents differ in', () => {
  it.each(DIFFERENT)('%s', (_, place, change) => {
    expect(placesWhen(change)).toContain(place);
  });
});
