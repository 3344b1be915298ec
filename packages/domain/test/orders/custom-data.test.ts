import {
  createDomain,
  CUSTOM_BYTES_MAX,
  CUSTOM_DEPTH_MAX,
  CUSTOM_PATCH_BYTES_MAX,
  defineOrders,
  type InvalidField,
} from '@orders/domain';
import { aKey, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { err, ok, type Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aBakery } from '../fixtures/a-bakery.ts';

const OWNER = 'bakery';
const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];

type Parser<T = unknown> = (input: unknown) => Result<T, readonly InvalidField[]>;

function define(parse: Parser, required = false) {
  const lifecycle = { open: [] as const };
  return defineOrders({ lifecycle, initial: 'open', cancel: 'open', custom: { parse, schema: {}, required } });
}

/** Returns a domain whose orders have custom data that `parse` returns, from after the definition on. */
function aDomainOf<T>(parse: Parser<T>, required?: boolean) {
  let parseNow: Parser = ok;
  const orders = define((input) => parseNow(input), required);
  parseNow = parse;
  const store = inMemoryStore({ definition: orders });
  return createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, orders);
}

const anything = () => aDomainOf((input) => ok(input));

async function place(domain: ReturnType<typeof anything>, custom: unknown) {
  return await domain.placeOrder(OWNER, { items, custom });
}

/** Returns an order that was placed with custom data, and its domain. */
async function anOrderWith(custom: unknown) {
  const domain = anything();
  return { domain, ...(await place(domain, custom))._unsafeUnwrap() };
}

/** Returns the custom data of an order that was placed with `before` and then patched. */
async function patched(before: unknown, patch: unknown): Promise<unknown> {
  const { domain, order } = await anOrderWith(before);
  const changed = (await domain.changeOrder(OWNER, order.id, { custom: patch }))._unsafeUnwrap();
  expect((await domain.getOrder(OWNER, order.id))._unsafeUnwrap().custom).toEqual(changed.order.custom);
  return changed.order.custom;
}

describe('custom data', () => {
  it('is null where it is absent, and null', async () => {
    const { domain } = aBakery();
    for (const input of [{ items }, { items, custom: null }, { items, custom: undefined }])
      expect((await domain.placeOrder(OWNER, input))._unsafeUnwrap().order.custom).toBeNull();
  });

  it('is what the parser returns, without members that are undefined', async () => {
    const domain = aDomainOf(() => ok({ kept: [1, null, true], gone: undefined }));
    const { order } = (await place(domain, 'x'))._unsafeUnwrap();
    expect(order.custom).toStrictEqual({ kept: [1, null, true] });
  });

  it('is rejected with the fields of the parser, beside those of the order', async () => {
    const { domain } = aBakery();
    const input: object = { items, note: 7, custom: { pick_up: 'noon', allergens: 'none' } };
    expect((await domain.placeOrder(OWNER, { items, ...input }))._unsafeUnwrapErr()).toMatchObject({
      type: 'validation_failed',
      errors: [{ field: 'note' }, { field: 'custom.pick_up' }, { field: 'custom.allergens' }],
    });
    const wrong: object = { custom: 'early' };
    expect((await domain.placeOrder(OWNER, { items, ...wrong }))._unsafeUnwrapErr()).toMatchObject({
      errors: [{ field: 'custom', code: 'wrong_type', message: 'must be an object' }],
    });
    const indexed = aDomainOf(() => err([{ field: '[0].a', message: 'x', code: 'required' }]));
    expect((await place(indexed, []))._unsafeUnwrapErr()).toMatchObject({ errors: [{ field: 'custom[0].a' }] });
  });

  it.each([
    [{ a: 1, b: { c: 2 } }, { a: null, b: { d: 3 } }, { b: { c: 2, d: 3 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: 1 }, [4], [4]],
    ['text', { a: { b: null } }, { a: {} }],
    [{ a: 1 }, null, null],
    [null, { a: 1 }, { a: 1 }],
    [{ a: 1 }, JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"a":1,"__proto__":{"x":1}}')],
  ])('is merged as RFC 7396 says: %j and %j make %j', async (before, patch, after) => {
    expect(await patched(before, patch)).toStrictEqual(after);
  });

  it('is parsed as a whole after a merge, and changes nothing then if it is invalid', async () => {
    const { domain } = aBakery();
    const custom = { pick_up: '07:30', allergens: [] };
    const { order } = (await domain.placeOrder(OWNER, { items, custom }))._unsafeUnwrap();
    const rejected = await domain.changeOrder(OWNER, order.id, { note: 'x', custom: { pick_up: null } });
    expect(rejected._unsafeUnwrapErr()).toMatchObject({ errors: [{ field: 'custom.pick_up' }] });
    expect((await domain.getOrder(OWNER, order.id))._unsafeUnwrap()).toEqual(order);
  });

  it('is reported as changed only if its value changes', async () => {
    const { domain } = aBakery();
    const custom = { pick_up: '07:30', allergens: ['rye'] };
    const { order } = (await domain.placeOrder(OWNER, { items, custom }))._unsafeUnwrap();
    const same = { allergens: ['rye'], pick_up: '07:30' };
    expect((await domain.changeOrder(OWNER, order.id, { custom: same }))._unsafeUnwrap().event).toBeNull();
    const later = await domain.changeOrder(OWNER, order.id, { custom: { pick_up: '08:00' } });
    expect(later._unsafeUnwrap().event).toMatchObject({ type: 'order.changed', changed: ['custom'] });
  });

  it('has at most 16 KiB of JSON, counted in bytes', async () => {
    const text = (bytes: number) => 'é'.repeat((bytes - 2) / 2);
    expect((await place(anything(), text(CUSTOM_BYTES_MAX))).isOk()).toBe(true);
    expect((await place(anything(), text(CUSTOM_BYTES_MAX + 2)))._unsafeUnwrapErr()).toMatchObject({
      errors: [{ field: 'custom', code: 'too_long', message: 'must have at most 16384 bytes as JSON' }],
    });
  });

  it('has at most 16 KiB before a parser sees it, and after', async () => {
    const seen: unknown[] = [];
    const doubled = aDomainOf((input) => {
      seen.push(input);
      return ok([input, input]);
    });
    const fault = { errors: [{ field: 'custom', code: 'too_long', message: 'must have at most 16384 bytes as JSON' }] };
    const half = 'x'.repeat(CUSTOM_BYTES_MAX / 2 - 5);
    const { order } = (await place(doubled, half))._unsafeUnwrap();
    expect((await place(doubled, `${half}xxx`))._unsafeUnwrapErr()).toMatchObject(fault);
    expect(seen).toEqual([half, `${half}xxx`]);
    const long = 'x'.repeat(CUSTOM_BYTES_MAX - 1);
    expect((await place(doubled, long))._unsafeUnwrapErr()).toMatchObject(fault);
    const changed = await doubled.changeOrder(OWNER, order.id, { custom: long });
    expect(changed._unsafeUnwrapErr()).toMatchObject(fault);
    const merged = aDomainOf((input) => ok(input));
    const { order: object } = (await place(merged, { a: half }))._unsafeUnwrap();
    const added = await merged.changeOrder(OWNER, object.id, { custom: { b: half } });
    expect(added._unsafeUnwrapErr()).toMatchObject(fault);
    expect(seen).toHaveLength(2);
  });

  it('is patched by at most 48 KiB of JSON, which replace any custom data', async () => {
    const membersOf = (prefix: string, value: null | number) =>
      Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`${prefix}${index}`, value]));
    const replaced = await patched(membersOf('a', 1), { ...membersOf('a', null), ...membersOf('b', 1) });
    expect(replaced).toEqual(membersOf('b', 1));
    const removals = { x: null, ['y'.repeat(CUSTOM_PATCH_BYTES_MAX - 18)]: null };
    expect(await patched(1, removals)).toEqual({});
    const { order, domain } = await anOrderWith(1);
    const longer = await domain.changeOrder(OWNER, order.id, { custom: { ...removals, x: 'null' } });
    expect(longer._unsafeUnwrapErr()).toMatchObject({
      errors: [{ field: 'custom', code: 'too_long', message: 'must have at most 49152 bytes as JSON' }],
    });
  });

  it('may be a value without JSON until it is parsed', async () => {
    const read = aDomainOf((input) => ok(String(input)));
    for (const [custom, kept] of [
      [7n, '7'],
      [Symbol.iterator, 'Symbol(Symbol.iterator)'],
    ])
      expect((await place(read, custom))._unsafeUnwrap().order.custom).toBe(kept);
  });

  it('has only numbers that JSON has, before a parser sees it', async () => {
    const { domain, order } = await anOrderWith(1);
    const fault = { errors: [{ field: 'custom', code: 'out_of_range' }] };
    for (const custom of ['1e400', '[-1e400]', '{"a":{"b":[1,1e999]}}'].map((json): unknown => JSON.parse(json))) {
      expect((await place(domain, custom))._unsafeUnwrapErr()).toMatchObject(fault);
      expect((await domain.changeOrder(OWNER, order.id, { custom }))._unsafeUnwrapErr()).toMatchObject(fault);
    }
  });

  it('is nested at most 32 times, before a parser sees it', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect((await place(anything(), nested(CUSTOM_DEPTH_MAX))).isOk()).toBe(true);
    const unreached = aDomainOf(() => {
      throw new Error('the parser was called');
    });
    expect((await place(unreached, nested(33)))._unsafeUnwrapErr()).toMatchObject({
      errors: [{ field: 'custom', code: 'invalid_value', message: 'must be nested at most 32 times' }],
    });
    let deep: unknown = null;
    for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
    const { order } = (await place(anything(), 1))._unsafeUnwrap();
    expect((await anything().changeOrder(OWNER, order.id, { custom: deep })).isErr()).toBe(true);
  });

  it.each(['a\u0000b', 'a\ud800b'])('has only text that can be stored: %j', async (text) => {
    for (const custom of [text, [text], { a: text }, { [text]: 1 }])
      expect((await place(anything(), custom))._unsafeUnwrapErr()).toMatchObject({ errors: [{ field: 'custom' }] });
  });

  it.each([
    ['a date', new Date(0)],
    ['a number that is not finite', Number.NaN],
    ['a symbol', Symbol('x')],
    ['an array with nothing in it', [undefined]],
    ['nothing', undefined],
    ['a bigint', 7n],
    ['a map', new Map()],
  ])('throws if the parser returns %s, which is a bug', async (_, output) => {
    const domain = aDomainOf<unknown>(() => ok(output));
    await expect(place(domain, 1)).rejects.toThrow('the parser of custom data returned a value that is not JSON');
  });

  it('is rejected with the first hundred fields of the parser, which are all that is read', async () => {
    let read = 0;
    const fields = Array.from({ length: 150 }, (_, at) => ({
      get field() {
        read += 1;
        return `a${at}`;
      },
      code: 'wrong_type' as const,
      message: 'must be a string',
    }));
    const failed = (
      await place(
        aDomainOf(() => err(fields)),
        1,
      )
    )._unsafeUnwrapErr();
    expect(read).toBe(100);
    expect(failed).toMatchObject({ errors: Array.from({ length: 100 }, (_, at) => ({ field: `custom.a${at}` })) });
  });

  it('is rejected with a hundred fields, also with that of an unknown customer', async () => {
    const field = { field: 'a', code: 'wrong_type', message: 'must be a string' } as const;
    const refused = err(Array.from({ length: 100 }, () => field));
    const domain = aDomainOf((input) => (input === 'refused' ? refused : ok(input)));
    const { order } = (await place(domain, 'kept'))._unsafeUnwrap();
    const patch = { customer_id: order.id, custom: 'refused' };
    const fields = ['customer_id', ...Array.from({ length: 99 }, () => 'custom.a')];
    expect((await domain.changeOrder(OWNER, order.id, patch))._unsafeUnwrapErr()).toMatchObject({
      errors: fields.map((name) => ({ field: name })),
    });
  });

  it('throws if the parser fails without an invalid field, which is a bug', async () => {
    await expect(
      place(
        aDomainOf(() => err([])),
        1,
      ),
    ).rejects.toThrow('returned no invalid field');
  });

  it.each([
    ['throws', JSON.parse, SyntaxError],
    ['is asynchronous', (input: unknown) => Promise.resolve(ok(input)), /returned no Result/],
    ['returns no Result', (input: unknown) => ({ success: true, data: input }), /returned no Result/],
    ['returns undefined', () => undefined, TypeError],
    ['returns what is not JSON', () => ok(new Date(0)), /returned a value that is not JSON/],
    ['fails with nothing', () => err([]), /returned no invalid field/],
    ['fails with a text', () => err('wrong'), /the code "undefined"/],
    ['has codes of its own', () => err([{ field: '', code: 'invalid_type', message: 'x' }]), /the code "invalid_type"/],
  ])('has a parser that is tried when it is defined: one that %s', (_, parse, message) => {
    const defining = (): unknown => Reflect.apply(define, undefined, [parse]);
    expect(defining).toThrow(message);
  });

  it('must be in a new order where they are required, and cannot be removed', async () => {
    const domain = aDomainOf(ok, true);
    const missing = { errors: [{ field: 'custom', code: 'required', message: 'is required' }] };
    for (const input of [{ items }, { items, custom: null }])
      expect((await domain.placeOrder(OWNER, input))._unsafeUnwrapErr()).toMatchObject(missing);
    const { order } = (await place(domain, { a: 1 }))._unsafeUnwrap();
    const remove = (id: string) => domain.changeOrder(OWNER, id, { custom: null });
    expect((await remove(order.id))._unsafeUnwrapErr()).toMatchObject(missing);
    expect((await domain.changeOrder(OWNER, order.id, { custom: { b: 2 } })).isOk()).toBe(true);
  });

  it('stay absent in an order from before they were required', async () => {
    const store = inMemoryStore({ definition: define(ok) });
    const ports = { clock: fixedClock(), ids: sequentialIds() };
    const { order } = (await createDomain({ ...store, ...ports }).placeOrder(OWNER, { items }))._unsafeUnwrap();
    const now = define(ok, true);
    const orders = { ...store.orders, definition: now };
    const domain = createDomain({ ...store, ...ports, orders });
    for (const patch of [{ note: 'x' }, { custom: null }])
      expect((await domain.changeOrder(OWNER, order.id, patch))._unsafeUnwrap().order.custom).toBeNull();
  });

  it('belongs to what an idempotency key stands for', async () => {
    const { domain } = aBakery();
    const options = { idempotencyKey: aKey().key };
    const custom = { pick_up: '07:30', allergens: [] };
    const first = (await domain.placeOrder(OWNER, { items, custom }, options))._unsafeUnwrap();
    const retry = (await domain.placeOrder(OWNER, { items, custom }, options))._unsafeUnwrap();
    expect(retry).toEqual({ ...first, event: null, replayed: true });
    const other = await domain.placeOrder(OWNER, { items, custom: { ...custom, pick_up: '08:00' } }, options);
    expect(other._unsafeUnwrapErr()).toEqual({ type: 'idempotency_key_reused' });
  });

  it('is not a member of orders whose definition has none', async () => {
    const domain = createDomain({ ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() });
    const input: object = { items, custom: {} };
    expect((await domain.placeOrder(OWNER, { items, ...input }))._unsafeUnwrapErr()).toMatchObject({
      errors: [{ field: 'custom', code: 'unknown_field' }],
    });
    expect((await domain.placeOrder(OWNER, { items }))._unsafeUnwrap().order).not.toHaveProperty('custom');
  });
});
