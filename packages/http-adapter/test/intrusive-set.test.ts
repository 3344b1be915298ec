import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { IntrusiveSet } from '../src/intrusive-set.ts';

it('has each member once, until it is deleted', () => {
  const members = new IntrusiveSet<{ readonly name: string }>();
  const [a, b, c, never] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'never' }];
  for (const each of [a, b, b, c]) members.add(each);
  expect(members.list()).toEqual([a, b, c]);
  for (const each of [a, a, never]) members.delete(each);
  expect(members.list()).toEqual([c, b]);
  members.delete(c);
  members.add(a);
  members.delete(b);
  const others = new IntrusiveSet<{ readonly name: string }>();
  others.delete(a);
  for (const each of [b, a]) others.add(each);
  expect([members.list(), members.size, others.list()]).toEqual([[a], 1, [b, a]]);
});

it('keeps no former member that only a full collection would free, unlike a set', async () => {
  setFlagsFromString('--expose-gc');
  const collectYoung = async () => {
    runInNewContext(`gc({ type: 'minor' })`);
    await nextTurn();
  };
  const survivors = async (members: Pick<IntrusiveSet<object>, 'add' | 'delete'>) => {
    const [present, all]: [object[], WeakRef<object>[]] = [[], []];
    for (let added = 0; added < 2000; added += 1) {
      const member = { added };
      members.add(member);
      present.push(member);
      all.push(new WeakRef(member));
      if (present.length > 8) members.delete(present.shift() ?? {});
      // Its first table becomes old, as while a server waits for requests.
      if (added === 5) for (let times = 0; times < 4; times += 1) await collectYoung();
      if (added % 100 === 0) await collectYoung();
    }
    await collectYoung();
    await collectYoung();
    return all.filter((member) => member.deref()).length;
  };
  expect(await survivors(new Set())).toBeGreaterThan(1000);
  expect(await survivors(new IntrusiveSet())).toBeLessThan(200);
});
