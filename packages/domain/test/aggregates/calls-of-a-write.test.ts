import type { ChangeOptions } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { fails, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { aSubject, type Commands, KINDS, type Outcome, PLANS } from './written-kinds.ts';

// An adapter pays a statement for most calls.

const KEY = { idempotencyKey: 'key-1' };
const CASES = KINDS.flatMap((kind) => PLANS.map((plan) => ({ kind, ...plan })));

type Command = (commands: Commands, id: string, options: ChangeOptions) => Outcome;
const change: Command = (commands, id, options) => commands.change(id, 'a', options);
const changeNothing: Command = (commands, id, options) => commands.change(id, null, options);
const changeUnknown: Command = (commands, _, options) => commands.change(UNKNOWN_ID, 'a', options);
const remove: Command = (commands, id, options) => commands.remove(id, options);
const removeUnknown: Command = (commands, _, options) => commands.remove(UNKNOWN_ID, options);

const CHANGE = ['commit change'];
const DELETE = ['commit delete'];
const KEY_ONLY = ['commit key_only'];
const NONE: readonly string[] = [];
const LOOK_UP = ['findRecorded'];

describe.each(CASES)('the calls for one $kind, looked up first: $lookUpFirst, locked first: $lockFirst', (test) => {
  const { kind, lookUpFirst, lockFirst } = test;

  /** Returns the calls that look up a key as planned, and those under the lock. */
  const planned = ({ idempotencyKey }: ChangeOptions) => {
    const isLookedUp = lookUpFirst && idempotencyKey !== undefined;
    return { lookUp: isLookedUp ? LOOK_UP : NONE, lock: isLookedUp ? ['commitLocked with look-up'] : ['commitLocked'] };
  };

  it.each<[string, Command, ChangeOptions, readonly string[], readonly string[]]>([
    ['a change', change, {}, CHANGE, NONE],
    ['a deletion', remove, {}, DELETE, NONE],
    ['a change of nothing', changeNothing, {}, NONE, NONE],
    ['a rejected change', change, { ifVersion: [2] }, NONE, NONE],
    ['a rejected deletion', remove, { ifVersion: [2] }, NONE, NONE],
    ['a change of an unknown id', changeUnknown, {}, NONE, NONE],
    ['a deletion of an unknown id', removeUnknown, {}, NONE, NONE],
    ['a change with a key', change, KEY, CHANGE, NONE],
    ['a deletion with a key', remove, KEY, DELETE, NONE],
    ['a change of nothing with a key', changeNothing, KEY, KEY_ONLY, NONE],
    ['a rejected change with a key', change, { ...KEY, ifVersion: [2] }, NONE, LOOK_UP],
    ['a rejected deletion with a key', remove, { ...KEY, ifVersion: [2] }, NONE, LOOK_UP],
    ['a change of an unknown id with a key', changeUnknown, KEY, NONE, LOOK_UP],
    ['a deletion of an unknown id with a key', removeUnknown, KEY, NONE, LOOK_UP],
  ])('are as few as can be for %s', async (_, command, options, commit, then) => {
    const subject = await aSubject(kind, test);
    await command(subject, subject.id, options);
    const { lookUp, lock } = planned(options);
    expect(subject.takeCalls()).toEqual([...(lockFirst ? lock : [...lookUp, 'load', ...commit]), ...then]);
  });

  it.each<[string, Command, ChangeOptions, readonly string[], readonly string[]]>([
    ['a change', change, {}, CHANGE, NONE],
    ['a change of nothing', changeNothing, KEY, KEY_ONLY, NONE],
    ['a change that is rejected now', change, { ifVersion: [1] }, NONE, LOOK_UP],
    ['a deletion', remove, {}, NONE, LOOK_UP],
  ])('are as few as can be for a replay of %s', async (_, command, options, commit, then) => {
    const subject = await aSubject(kind, test);
    const run = (commands: Commands) => succeeds(command(commands, subject.id, { ...options, ...KEY }));
    const first = await run(subject.elsewhere);
    if (first.event?.includes('changed')) await succeeds(subject.elsewhere.change(subject.id, 'later'));
    expect((await run(subject)).replayed).toBe(true);
    const { lookUp, lock } = planned(KEY);
    const unplanned = [...(lockFirst ? lock : ['load', ...commit]), ...then];
    expect(subject.takeCalls()).toEqual(lookUpFirst ? (lockFirst ? lock : lookUp) : unplanned);
  });

  it.each<[string, Command, ChangeOptions, readonly string[], readonly string[]]>([
    ['a change', change, {}, CHANGE, NONE],
    ['a deletion', remove, {}, DELETE, NONE],
    ['a change with a key', change, KEY, CHANGE, NONE],
    ['a deletion with a key', remove, KEY, DELETE, NONE],
    ['a change of one version', change, { ifVersion: [1] }, CHANGE, NONE],
    ['a deletion of one version with a key', remove, { ...KEY, ifVersion: [1] }, DELETE, LOOK_UP],
  ])('are one more for %s that is overtaken, under the lock', async (_, command, options, commit, then) => {
    const subject = await aSubject(kind, test);
    subject.before(lockFirst ? 'commitLocked' : 'commit', () => subject.elsewhere.change(subject.id, 'other'));
    await command(subject, subject.id, options);
    const { lookUp, lock } = planned(options);
    expect(subject.takeCalls()).toEqual([...(lockFirst ? [] : [...lookUp, 'load', ...commit]), ...lock, ...then]);
  });

  it.each<[string, Command, readonly string[]]>([
    ['a change', change, CHANGE],
    ['a deletion', remove, DELETE],
  ])('are as few as can be for %s whose key another command has used', async (_, command, commit) => {
    const subject = await aSubject(kind, test);
    await succeeds(subject.elsewhere.create('new', KEY));
    expect(await fails(command(subject, subject.id, KEY))).toEqual({ type: 'idempotency_key_reused' });
    const { lookUp, lock } = planned(KEY);
    const unlocked = lookUpFirst ? lookUp : ['load', ...commit];
    expect(subject.takeCalls()).toEqual(lockFirst ? [...lock, ...lookUp] : unlocked);
  });

  it('are one for a creation, and one more if the key is looked up first', async () => {
    const subject = await aSubject(kind, test);
    const { lookUp } = planned(KEY);
    await succeeds(subject.create('one'));
    expect(subject.takeCalls()).toEqual(['commit create']);
    // The creation of an endpoint looks up its key in any case, before it reads the end of the feed.
    const early = kind === 'webhook_endpoint' ? LOOK_UP : NONE;
    await succeeds(subject.create('two', KEY));
    expect(subject.takeCalls()).toEqual([...early, ...lookUp, 'commit create']);
    expect((await succeeds(subject.create('two', KEY))).replayed).toBe(true);
    const replayed = lookUpFirst ? LOOK_UP : ['commit create'];
    // The replay for an endpoint loads it, to see whether its secret is still the newest one.
    expect(subject.takeCalls()).toEqual(kind === 'webhook_endpoint' ? [...LOOK_UP, 'load'] : replayed);
  });
});
