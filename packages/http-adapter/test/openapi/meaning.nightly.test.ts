import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../scripts/current-document.ts';
import { differences } from '../../scripts/document-meaning.ts';
import { at, behindReferences, isRecord, listAt, membersOf, responsePlaces } from '../fixtures/json.ts';
import { changed, type Edit, GONE, objectAt } from './changes.ts';

const CURRENT: unknown = JSON.parse(JSON.stringify(currentDocument()));
const [BASE, OWN] = ['WebhookEndpoint', 'WebhookEndpointWithSecret'].map((name) =>
  at(CURRENT, 'components', 'schemas', name),
);
const EXTENSION = at(OWN, 'allOf', 1);

/** Returns the places where a changed document differs. */
const placesWhen = (...edits: readonly Edit[]) =>
  differences(CURRENT, changed(CURRENT, ...edits)).map((each) => each.at);

/** Replaces each reference to a response, a parameter or a header by its target. */
function inline(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inline);
  if (!isRecord(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string' && !$ref.includes('/schemas/'))
    return inline(at(CURRENT, ...behindReferences({ ...objectAt(CURRENT), value }, 'value')));
  return Object.fromEntries(membersOf(value).map((name) => [name, inline(value[name])]));
}

const EQUAL: readonly (readonly [string, ...Edit[]])[] = [
  ['no change'],
  ['responses, parameters and headers in place of the references to them', ['paths', inline]],
  [
    'a schema in place of the reference to it',
    ['Order properties total', at(CURRENT, 'components', 'schemas', 'Money')],
  ],
  [
    'the members of a base in place of the reference to it',
    [
      'WebhookEndpointWithSecret',
      {
        type: 'object',
        description: 'An endpoint and its new secret',
        properties: { ...objectAt(BASE, 'properties'), ...objectAt(EXTENSION, 'properties') },
        required: [...listAt(EXTENSION, 'required'), ...listAt(BASE, 'required')],
      },
    ],
  ],
  [
    'the headers of every response in each of them',
    ...responsePlaces(CURRENT).map((place): Edit => {
      const headers = { ...objectAt(CURRENT, 'x-response-headers'), ...objectAt(CURRENT, ...place, 'headers') };
      return [`${place.join(' ')} headers`, headers];
    }),
    ['x-response-headers', GONE],
  ],
  ['an example of a schema', ['Order examples', []]],
];

/** What is changed, where the document then differs, and the change. */
const DIFFERENT: readonly (readonly [string, string, string, unknown])[] = [
  ['a text', 'paths /orders get summary', '/orders get summary', 'Words'],
  ['a scope', 'paths /orders get security 0 Bearer 0', '/orders get security 0 Bearer', []],
  [
    'a member of a body',
    'paths /orders post requestBody content application/json schema properties items maxItems',
    'NewOrder properties items maxItems',
    GONE,
  ],
  [
    'one of every response',
    'paths /orders/{id} get responses 404 headers Vary required',
    'x-response-headers Vary',
    GONE,
  ],
  [
    'the code of a problem',
    'paths /orders/{id} get responses 404 content application/problem+json schema properties code const',
    'OrderNotFoundProblem allOf 1 properties code const',
    'gone',
  ],
  [
    'a webhook',
    'webhooks event post requestBody content application/json schema properties data properties actor maxLength',
    'Actor maxLength',
    GONE,
  ],
  ['the name of a component', 'components schemas Shop', 'Shop', { type: 'string' }],
];

describe('two documents say the same with another', () => {
  it.each(EQUAL.map(([name, ...edits]) => [name, edits] as const))('%s', (_, edits) =>
    expect(placesWhen(...edits)).toEqual([]),
  );
});

describe('two documents differ in', () => {
  it.each(DIFFERENT)('%s', (_, differs, place, to) => expect(placesWhen([place, to])).toContain(differs));
});
