import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aPlacedOrder, fails, invalidFields, OWNER, succeeds } from '../fixtures/a-domain.ts';

const json = (text: string): unknown => JSON.parse(text);
const keys = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${from + index}`, 'x']));

const place = (metadata: unknown) => aDomain().placeOrder(OWNER, aBody({ metadata }));

async function change(before: unknown, patch: unknown) {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain, { metadata: before });
  return await domain.changeOrder(OWNER, id, { metadata: patch });
}

/** Returns the metadata after a patch as JSON, which also shows members such as `__proto__`. */
async function patched(before: unknown, patch: unknown): Promise<string> {
  const { order } = (await change(before, patch))._unsafeUnwrap();
  return JSON.stringify(order.metadata);
}

const TOO_LONG = 'metadata: too_long (must have at most 50 keys)';

describe('a metadata key', () => {
  it.each(['__proto__', 'constructor', 'length', '0', '-1', ' ', 'a.b', '"', '🎁', 'x'.repeat(40), '🎁'.repeat(40)])(
    'may be %j: stored, added, changed and removed',
    async (key) => {
      const name = JSON.stringify(key);
      const metadata = json(`{${name}: "kept"}`);
      const { order } = await succeeds(place(metadata));
      expect(JSON.stringify(order.metadata)).toBe(JSON.stringify(metadata));
      expect(Object.getPrototypeOf(order.metadata)).toBe(Object.prototype);
      expect(Object.keys(json(await patched({ other: 'x' }, metadata)) ?? {}).toSorted()).toEqual(
        Object.keys(json(`{${name}: 1, "other": 1}`) ?? {}).toSorted(),
      );
      expect(await patched(metadata, json(`{${name}: "after"}`))).toBe(`{${name}:"after"}`);
      expect(await patched(metadata, json(`{${name}: null}`))).toBe('{}');
    },
  );

  it.each([
    ['is not empty', '', 'too_short (must have a key of at least 1 character)'],
    ['has at most 40 characters', 'x'.repeat(41), 'too_long (must have a key of at most 40 characters)'],
    ['has at most 40 code points', '🎁'.repeat(41), 'too_long'],
    ['does not hold U+0000', 'a\0', 'invalid_value'],
    ['does not hold a high surrogate alone', '\ud83c', 'invalid_value'],
    ['does not hold a low surrogate alone', '\udf81x', 'invalid_value'],
  ])('%s', async (_, key, code) => {
    const expected = invalidFields(`metadata[${JSON.stringify(key)}]: ${code}`);
    expect(await fails(place({ [key]: 'x' }))).toMatchObject(expected);
    for (const value of ['x', null])
      expect((await change({}, { [key]: value }))._unsafeUnwrapErr()).toMatchObject(expected);
  });
});

describe('metadata of a new order', () => {
  it('holds up to fifty keys, with values that are not null', async () => {
    const { order } = await succeeds(place(keys(50)));
    expect(order.metadata).toEqual(keys(50));
    expect(await fails(place(keys(51)))).toMatchObject(invalidFields(TOO_LONG));
    expect(await fails(place({ a: null }))).toMatchObject(invalidFields('metadata["a"]: wrong_type'));
  });
});

describe('metadata of a changed order', () => {
  it('keeps the keys that the patch does not name', async () => {
    const after = '{"a":"1","b":"two","d":"4"}';
    expect(await patched({ a: '1', b: '2', c: '3' }, { b: 'two', c: null, d: '4' })).toBe(after);
    for (const patch of [null, { a: null, b: null }]) expect(await patched({ a: '1', b: '2' }, patch)).toBe('{}');
  });

  it('holds up to fifty keys after the merge, or the whole patch is rejected', async () => {
    expect(await patched({}, keys(50))).toBe(JSON.stringify(keys(50)));
    const domain = aDomain();
    const before = await aPlacedOrder(domain, { metadata: keys(50) });
    const error = await fails(domain.changeOrder(OWNER, before.id, { note: 'n', metadata: { one: 'more' } }));
    expect(error).toMatchObject(invalidFields(TOO_LONG));
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
    const removed = Object.fromEntries(Object.keys(keys(50)).map((key) => [key, null]));
    expect(await patched(keys(50), { ...removed, ...keys(50, 50) })).toBe(JSON.stringify(keys(50, 50)));
  });

  it('accepts a patch of up to a hundred keys, and reads no value of a longer one', async () => {
    let reads = 0;
    const removal = { enumerable: true, get: () => ((reads += 1), null) };
    const removals = (count: number) =>
      Object.defineProperties({}, Object.fromEntries(Object.keys(keys(count)).map((key) => [key, removal])));
    expect(await patched({ other: 'x' }, removals(100))).toBe('{"other":"x"}');
    expect(reads).toBe(100);
    expect((await change({}, removals(101)))._unsafeUnwrapErr()).toMatchObject(invalidFields('metadata: too_long'));
    expect(reads).toBe(100);
  });

  it('does not change when absent keys are removed', async () => {
    const absent = Object.fromEntries(Object.keys(keys(60)).map((key) => [key, null]));
    const { order, event } = (await change({ a: '1' }, absent))._unsafeUnwrap();
    expect(order).toMatchObject({ metadata: { a: '1' }, version: 1 });
    expect(event).toBeNull();
  });
});
