import { describe, expect, it } from 'vitest';
import { feedContradictions, type FeedReader } from '../src/feed/feed-contradictions.ts';
import { readEventPage, type ReceivedEvent } from '../src/feed/received-event.ts';

/** The changes of two orders, in the order of the feed. */
const CHANGES = ['a 1 order.placed', 'b 1 order.placed', 'a 2 order.paid', 'b 2 order.changed', 'a 3 order.cancelled'];

const PLACED = ['order.placed'];

/** Returns the events of changes at the positions 1, 2, 3, …, as a page of the feed has them. */
function eventsOf(changes: readonly string[]): readonly ReceivedEvent[] {
  const data = changes.map((change, index) => {
    const [id = '', version, type = ''] = change.split(' ');
    return { position: index + 1, type, resource: { type: 'order', id, version: Number(version) } };
  });
  const page = readEventPage({ data, page: { next_cursor: 'cursor', caught_up: true } });
  if (!page) throw new Error('not a page');
  return page.events;
}

const EVENTS = eventsOf(CHANGES);

const reader = (events: readonly ReceivedEvent[], types: readonly string[] | null = null): FeedReader => {
  return { name: 'reader', types, events };
};

/** Finds contradictions of a reader beside one that has received everything. */
const found = (events: readonly ReceivedEvent[], types: readonly string[] | null = null) =>
  feedContradictions(CHANGES, [{ ...reader(EVENTS), name: 'other' }, reader(events, types)]);

describe('readers of a feed', () => {
  it('agree if each has received all changes in one order', () => {
    expect(found(EVENTS)).toEqual([]);
    expect(found(EVENTS.slice(0, 2), PLACED)).toEqual([]);
  });

  it.each([
    ['an event is dropped', EVENTS.toSpliced(2, 1), null, 'position 4 after 2'],
    ['the last event is dropped', EVENTS.slice(0, -1), null, '1 missing, such as a 3 order.cancelled'],
    ['an event of a requested type is dropped', EVENTS.slice(0, 1), PLACED, '1 missing, such as b 1 order.placed'],
    ['an event comes twice', [...EVENTS.slice(0, 2), ...EVENTS.slice(1)], null, 'position 2 after 2'],
    [
      'two events are swapped',
      eventsOf(CHANGES.toSpliced(0, 2, 'b 1 order.placed', 'a 1 order.placed')),
      null,
      'at the position of',
    ],
    [
      'two versions are swapped',
      eventsOf(CHANGES.with(2, CHANGES[4] ?? '').with(4, CHANGES[2] ?? '')),
      null,
      'version 3 of order a after 1',
    ],
    ['a version is dropped', eventsOf(CHANGES.toSpliced(2, 1)), null, 'version 3 of order a after 1'],
    [
      'a page comes before an earlier one',
      [...EVENTS.slice(1, 2), ...EVENTS.slice(0, 1)],
      PLACED,
      'position 1 after 2',
    ],
    ['a change was not acknowledged', eventsOf([...CHANGES, 'c 1 order.placed']), null, '1 not acknowledged'],
  ])('contradict the acknowledged changes if %s', (_, events, types, contradiction) => {
    expect(found(events, types)).toContainEqual(expect.stringContaining(`reader: `));
    expect(found(events, types).join('\n')).toContain(contradiction);
  });
});

describe('a page of events', () => {
  it.each([
    ['without a cursor', { data: [], page: { next_cursor: null, caught_up: true } }],
    ['with something else', { data: [{ id: 'a' }], page: { next_cursor: 'cursor', caught_up: true } }],
    ['without its state', { data: [], page: { next_cursor: 'cursor' } }],
    ['of no page', undefined],
  ])('is not accepted %s', (_, body) => {
    expect(readEventPage(body)).toBeUndefined();
  });
});
