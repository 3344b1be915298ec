import { defineOrders, type OrderDefinition } from '@orders/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../scripts/current-document.ts';
import { BAKERY } from '../fixtures/a-bakery.ts';
import { definitions } from '../fuzz/generated-definitions.ts';
import { at, isRecord, listAt, membersOf, stepsOf } from '../fixtures/json.ts';
import { closedSchemas } from './schemas.ts';

const [INITIAL_ONLY, CANCEL_ONLY, CANCELLED_LAST] = [
  defineOrders({ lifecycle: { open: [] }, initial: 'open', cancel: 'open' }),
  defineOrders({ lifecycle: { open: ['void'], void: [] }, initial: 'open', cancel: 'void' }),
  defineOrders({ lifecycle: { open: ['done'], done: ['void', 'open'], void: [] }, initial: 'open', cancel: 'void' }),
];

const DEFINITIONS: readonly (readonly [string, OrderDefinition])[] = [
  ['a bakery', BAKERY],
  ['one status', INITIAL_ONLY],
  ['a cancellation as the only change', CANCEL_ONLY],
  ['a cancellation after other changes', CANCELLED_LAST],
  ...fc.sample(definitions(6), { seed: 7, numRuns: 5 }).map((each, index) => [`generated ${index}`, each] as const),
  ...fc.sample(definitions(40), { seed: 7, numRuns: 2 }).map((each, index) => [`large ${index}`, each] as const),
];

const documentOf = (definition: OrderDefinition): unknown =>
  JSON.parse(JSON.stringify(currentDocument({ definition })));

/** Returns the places of all objects in a value that have a member. */
function placesOf(value: unknown, member: string, ...path: readonly string[]): readonly (readonly string[])[] {
  if (!isRecord(value)) return [];
  const inside = membersOf(value).flatMap((name) => placesOf(at(value, name), member, ...path, name));
  return member in value ? [path, ...inside] : inside;
}

/** Returns the examples of a media type. */
function examplesAt(document: unknown, place: readonly string[]): readonly unknown[] {
  const media = at(document, ...place);
  const only = isRecord(media) && 'example' in media ? [media['example']] : [];
  return [...only, ...membersOf(at(media, 'examples')).map((name) => at(media, 'examples', name, 'value'))];
}

/** Whether a place is in a schema that the document has as the definition has it, with its examples. */
function isCustom([, , name = '']: readonly string[]): boolean {
  return name.startsWith('OrderCustom');
}

describe('the document of a definition', () => {
  it.each(DEFINITIONS)('has valid examples of every body: %s', (_, definition) => {
    const document = documentOf(definition);
    const schemas = closedSchemas(document);
    let checked = 0;
    for (const place of placesOf(document, 'schema')) {
      if (!place.includes('content')) continue;
      for (const example of examplesAt(document, place)) {
        checked += 1;
        expect({ place, faults: schemas([...place, 'schema'], example) }).toEqual({ place, faults: [] });
      }
    }
    expect(checked).toBeGreaterThan(10);
  });

  it.each(DEFINITIONS)('has valid examples of schemas: %s', (_, definition) => {
    const document = documentOf(definition);
    const schemas = closedSchemas(document);
    const places = placesOf(at(document, 'components', 'schemas'), 'examples', 'components', 'schemas');
    const own = places.filter((place) => !isCustom(place));
    expect(own.length).toBeGreaterThan(70);
    for (const place of own)
      for (const example of listAt(document, ...place, 'examples'))
        expect({ place, faults: schemas(place, example) }).toEqual({ place, faults: [] });
  });

  it.each(DEFINITIONS)('has no reference to a part that it lacks: %s', (_, definition) => {
    const document = documentOf(definition);
    const references = placesOf(document, '$ref').map((place) => at(document, ...place, '$ref'));
    expect(references.length).toBeGreaterThan(500);
    const missing = references.filter(
      (each) => typeof each === 'string' && at(document, ...stepsOf(each)) === undefined,
    );
    expect(missing).toEqual([]);
  });
});
