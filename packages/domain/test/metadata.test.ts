import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aPlacedOrder, badFields, OWNER, refuses, succeeds } from './a-domain.ts';

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

/** The metadata after a patch, as text, which shows members that an object would hide. */
async function patched(before: unknown, patch: unknown): Promise<string> {
  const { order } = (await change(before, patch))._unsafeUnwrap();
  return JSON.stringify(order.metadata);
}

describe('a metadata key', () => {
  const natural = [
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

  it.each(natural)('may be %j, in a new order and in a change', async (key) => {
    const metadata = json(`{${JSON.stringify(key)}: "kept"}`);
    const { order } = await succeeds(place(metadata));
    expect(JSON.stringify(order.metadata)).toBe(JSON.stringify(metadata));
    expect(await patched({}, metadata)).toBe(JSON.stringify(metadata));
    const merged = await patched({ other: 'x' }, metadata);
    expect(merged).toContain('"other":"x"');
    expect(merged).toContain(`${JSON.stringify(key)}:"kept"`);
  });

  it.each(natural)('%j is changed and removed as any other', async (key) => {
    const name = JSON.stringify(key);
    const before = json(`{${name}: "before"}`);
    expect(await patched(before, json(`{${name}: "after"}`))).toBe(`{${name}:"after"}`);
    expect(await patched(before, json(`{${name}: null}`))).toBe('{}');
  });

  it('changes no other object, whatever its name', async () => {
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
    const refused = badFields(`metadata[${JSON.stringify(key)}]: ${code}`);
    expect(await refuses(place({ [key]: 'x' }))).toMatchObject(refused);
    expect((await change({}, { [key]: 'x' }))._unsafeUnwrapErr()).toMatchObject(refused);
    expect((await change({}, { [key]: null }))._unsafeUnwrapErr()).toMatchObject(refused);
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
    expect(await refuses(place(keys(51)))).toMatchObject(badFields('metadata: too_long'));
  });

  it('has no null value: there is nothing to remove', async () => {
    expect(await refuses(place({ a: null }))).toMatchObject(badFields('metadata["a"]: wrong_type'));
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

  it('is counted after the merge: a fifty-first key is refused, and nothing of the patch is kept', async () => {
    const domain = aDomain();
    const before = await aPlacedOrder(domain, { metadata: keys(50) });
    const refusal = await refuses(domain.changeOrder(OWNER, before.id, { note: 'n', metadata: { one: 'more' } }));
    expect(refusal).toMatchObject(badFields('metadata: too_long'));
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
  });

  it('may swap a key for another, all fifty too', async () => {
    expect(await patched(keys(50), { 'key-0': null, other: 'x' })).toContain('"other":"x"');
    const removed = Object.fromEntries(Object.keys(keys(50)).map((key) => [key, null]));
    expect(await patched(keys(50), { ...removed, ...keys(50, 50) })).toBe(JSON.stringify(keys(50, 50)));
  });

  it('may come to fifty keys, not past them, from none', async () => {
    expect(await patched({}, keys(50))).toBe(JSON.stringify(keys(50)));
    expect((await change({}, keys(51)))._unsafeUnwrapErr()).toMatchObject(badFields('metadata: too_long'));
  });

  it('is not changed by removing keys that it does not have, however many', async () => {
    const absent = Object.fromEntries(Object.keys(keys(60)).map((key) => [key, null]));
    const { order, event } = (await change({ a: '1' }, absent))._unsafeUnwrap();
    expect(order).toMatchObject({ metadata: { a: '1' }, version: 1 });
    expect(event).toBeNull();
  });
});
