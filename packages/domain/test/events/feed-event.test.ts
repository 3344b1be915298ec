import { EVENT_TYPES, positionOf, readEvents, resourceTypeOf } from '@orders/domain/events';
import { expect, it } from 'vitest';
import { aFeed } from '../fixtures/a-feed.ts';

it('the type of an event begins with the kind of its resource', () => {
  for (const type of EVENT_TYPES) expect(`${resourceTypeOf(type)}.`).toBe(type.slice(0, type.indexOf('.') + 1));
  expect(new Set(EVENT_TYPES.map(resourceTypeOf))).toEqual(new Set(['order', 'customer', 'webhook_endpoint']));
});

it('the position of an event has the last 16 digits of its id in lower case', () => {
  const event = { id: '019B0000-CCCC-7000-800A-00000000000B', position: 3 };
  expect(positionOf(event)).toEqual({ position: 3, event: '800a00000000000b' });
});

it('reading events throws a TypeError for an invalid owner, and does not read', () => {
  const subject = aFeed();
  for (const owner of ['', 'é', 'x'.repeat(256)])
    expect(() => readEvents(subject.feed, owner)).toThrow('the owner must be a string of 1 to 255 printable ASCII');
  expect(subject.reads).toEqual([]);
});
