import assert from 'node:assert/strict';
import { type Checkpoints, type FeedPosition, isFeedPosition } from '@orders/domain/events';
import { checkpointsContract, inMemoryCheckpoints } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type FaultOf, itCatchesFaults } from './contract-faults.ts';

/** Injects checkpoints that have other keys. */
const keyedBy =
  (keyOf: (owner: string, name: string) => readonly [string, string]): FaultOf<Checkpoints>[1] =>
  (correct) => ({
    load: (owner, name) => correct.load(...keyOf(owner, name)),
    save: (owner, name, position) => correct.save(...keyOf(owner, name), position),
  });

/** Returns checkpoints in a map, which copies positions only as `copies` has it. */
function mapped(copies: { readonly copySaved?: boolean; readonly copyLoaded?: boolean }): Checkpoints {
  const saved = new Map<string, FeedPosition>();
  return {
    load: (owner, name) => {
      const position = saved.get(`${owner} ${name}`);
      return okAsync(position === undefined ? null : copies.copyLoaded ? { ...position } : position);
    },
    save: (owner, name, position) => {
      saved.set(`${owner} ${name}`, copies.copySaved ? { ...position } : position);
      return okAsync(undefined);
    },
  };
}

/** Creates correct checkpoints that take only names and positions that the domain would pass. */
function strictCheckpoints(): Checkpoints {
  const checkpoints = inMemoryCheckpoints();
  const isName = (name: string) => /^[\x20-\x7e]{1,255}$/.test(name);
  return {
    load: (owner, name) => {
      assert.ok(isName(name));
      return checkpoints.load(owner, name);
    },
    save: (owner, name, position) => {
      assert.ok(isName(name) && isFeedPosition(position));
      return checkpoints.save(owner, name, position);
    },
  };
}

const faults: readonly FaultOf<Checkpoints>[] = [
  [
    'begin at position 0',
    (correct) => ({
      ...correct,
      load: (owner, name) => correct.load(owner, name).map((saved) => saved ?? { position: 0, event: '0'.repeat(16) }),
    }),
    /is null before the first is saved/,
  ],
  [
    'never move back',
    (correct) => ({
      ...correct,
      save: (owner, name, position) =>
        correct
          .load(owner, name)
          .andThen((saved) =>
            saved && saved.position > position.position ? okAsync(undefined) : correct.save(owner, name, position),
          ),
    }),
    /the last saved position/,
  ],
  [
    'have positions of 32 bits',
    (correct) => ({
      ...correct,
      save: (owner, name, { position, event }) => correct.save(owner, name, { position: position % 2 ** 32, event }),
    }),
    /the last saved position/,
  ],
  ['are shared by all owners', keyedBy((_, name) => ['all', name]), /one owner and one consumer/],
  ['are shared by all consumers', keyedBy((owner) => [owner, 'all']), /one owner and one consumer/],
  ['ignore case', keyedBy((owner, name) => [owner, name.toLowerCase()]), /one owner and one consumer/],
  ['ignore spaces at the end', keyedBy((owner, name) => [owner, name.trimEnd()]), /one owner and one consumer/],
  ['cut long names', keyedBy((owner, name) => [owner, name.slice(0, 1)]), /one owner and one consumer/],
  ['keep the object that the caller saves', () => mapped({ copyLoaded: true }), /as a copy/],
  ['return the object that they keep', () => mapped({ copySaved: true }), /as a copy/],
];

describe('the contract of the checkpoints port', () => {
  itCatchesFaults(checkpointsContract, strictCheckpoints, faults);
});
