import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aPlacedOrder, fails, invalidFields, OWNER, succeeds } from '../fixtures/a-domain.ts';

const json = (text: string): unknown => JSON.parse(text);
const keys = (count: number, from = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${from + index}`, 'x']));

const place = (metadata: unknown) => aDomain().placeOrder(OWNER, aBody({ metadata }));

function change(before: unknown, patch: unknown) {
  const domain = aDomain();
  return aPlacedOrder(domain, { metadata: before }).then(({ id }) =>
    domain.changeOrder(OWNER, id, { metadata: patch }),
  );
}

/** Returns the metadata after a patch as JSON, which also shows members such as `__proto__`. */
async function patched(before: unknown, patch: unknown): Promise<string> {
  const { order } = (await change(before, patch))._unsafeUnwrap();
  return JSON.stringify(order.metadata);
}

describe('a metadata key', () => {
  const unusualKeys = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    '0',
    '-1',
    ' ',
    'a.b',
    '"',
    '🎁',
  ];

  it.each(unusualKeys)('may be %j, in a new order and in a change', async (key) => {
    const metadata = json(`{${JSON.stringify(key)}: "kept"}`);
    const { order } = await succeeds(place(metadata));
    expect(JSON.stringify(order.metadata)).toBe(JSON.stringify(metadata));
    expect(await patched({}, metadata)).toBe(JSON.stringify(metadata));
    const mergeMetadata = await patched({ other: 'x' }, metadata);
    expect(mergeMetadata).toContain('"other":"x"');
    expect(mergeMetadata).toContain(`${JSON.stringify(key)}:"kept"`);
  });

  it.each(unusualKeys)('can be changed and removed: %j', async (key) => {
    const name = JSON.stringify(key);
    const before = json(`{${name}: "before"}`);
    expect(await patched(before, json(`{${name}: "after"}`))).toBe(`{${name}:"after"}`);
    expect(await patched(before, json(`{${name}: null}`))).toBe('{}');
  });

  it('does not change the prototype of any object', async () => {
    const { order } = await succeeds(place(json('{"__proto__": "x", "constructor": "y"}')));
    expect(Object.getPrototypeOf(order.metadata)).toBe(Object.prototype);
    expect(Object.hasOwn({}, 'x')).toBe(false);
  });

  it.each([
    ['is not empty', '', 'too_short'],
    ['has at most 40 characters', 'x'.repeat(41), 'too_long'],
    ['has at most 40 code points', '🎁'.repeat(41), 'too_long'],
    ['does not hold U+0000', 'a\0', 'invalid_value'],
    ['does not hold a high surrogate alone', '\ud83c', 'invalid_value'],
    ['does not hold a low surrogate alone', '\udf81x', 'invalid_value'],
  ])('%s', async (_, key, code) => {
    const expectedError = invalidFields(`metadata[${JSON.stringify(key)}]: ${code}`);
    expect(await fails(place({ [key]: 'x' }))).toMatchObject(expectedError);
    expect((await change({}, { [key]: 'x' }))._unsafeUnwrapErr()).toMatchObject(expectedError);
    expect((await change({}, { [key]: null }))._unsafeUnwrapErr()).toMatchObject(expectedError);
  });

  it.each(['x'.repeat(40), '🎁'.repeat(40)])('may have 40 code points: %s', async (key) => {
    const { order } = await succeeds(place({ [key]: 'x' }));
    expect(order.metadata).toEqual({ [key]: 'x' });
    expect(await patched({}, { [key]: 'x' })).toBe(`{"${key}":"x"}`);
  });
});

describe('metadata of a new order', () => {
  it('holds up to fifty keys', async () => {
    const { order } = await succeeds(place(keys(50)));
    expect(order.metadata).toEqual(keys(50));
    expect(await fails(place(keys(51)))).toMatchObject(invalidFields('metadata: too_long'));
  });

  it('rejects a null value', async () => {
    expect(await fails(place({ a: null }))).toMatchObject(invalidFields('metadata["a"]: wrong_type'));
  });
});

describe('metadata of a changed order', () => {
  it('keeps the keys that the patch does not name', async () => {
    expect(await patched({ a: '1', b: '2', c: '3' }, { b: 'two', c: null, d: '4' })).toBe(
      '{"a":"1","b":"two","d":"4"}',
    );
  });

  it.each([
    ['null', null],
    ['null for every key', { a: null, b: null }],
  ])('is emptied by %s', async (_, patch) => {
    expect(await patched({ a: '1', b: '2' }, patch)).toBe('{}');
  });

  it('rejects a fifty-first key after the merge, and the whole patch with it', async () => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, { metadata: keys(50) });
    const error = await fails(domain.changeOrder(OWNER, before.id, { note: 'n', metadata: { one: 'more' } }));
    expect(error).toMatchObject(invalidFields('metadata: too_long'));
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
  });

  it('may replace one or all of fifty keys', async () => {
    expect(await patched(keys(50), { 'key-0': null, other: 'x' })).toContain('"other":"x"');
    const removed = Object.fromEntries(Object.keys(keys(50)).map((key) => [key, null]));
    expect(await patched(keys(50), { ...removed, ...keys(50, 50) })).toBe(JSON.stringify(keys(50, 50)));
  });

  it('may gain up to fifty keys', async () => {
    expect(await patched({}, keys(50))).toBe(JSON.stringify(keys(50)));
    expect((await change({}, keys(51)))._unsafeUnwrapErr()).toMatchObject(invalidFields('metadata: too_long'));
  });

  it('accepts a patch of up to a hundred keys, and reads no value of a longer one', async () => {
    let reads = 0;
    const removals = (count: number) =>
      Object.defineProperties(
        {},
        Object.fromEntries(
          Object.keys(keys(count)).map((key) => [key, { enumerable: true, get: () => ((reads += 1), null) }]),
        ),
      );
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
