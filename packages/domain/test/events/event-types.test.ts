import { EVENT_TYPES, resourceTypeOf } from '@orders/domain/events';
import { describe, expect, it } from 'vitest';

describe('the type of an event', () => {
  it('begins with the kind of resource that the event is about', () => {
    for (const type of EVENT_TYPES) expect(`${resourceTypeOf(type)}.`).toBe(type.slice(0, type.indexOf('.') + 1));
    expect(new Set(EVENT_TYPES.map(resourceTypeOf))).toEqual(new Set(['order', 'customer', 'webhook_endpoint']));
  });
});
