import { ORDER_FIELDS } from '@orders/domain';
import { aBuyer, anAddress } from '@orders/domain/testing';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  anOrderIn,
  aPlacedOrder,
  CUSTOMER,
  fails,
  invalidFields,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const BUYER = aBuyer();
const ADDRESS = anAddress();
const ALL = {
  external_ids: { stripe: ['pi_1', 'ch_1'], erp: ['4711'] },
  buyer: BUYER,
  shipping_address: ADDRESS,
  billing_address: { ...ADDRESS, country: 'XK' },
};
const systems = (count: number, ids: unknown = ['1']) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, ids]));
const ids = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

const place = (fields: object) => aDomain().placeOrder(OWNER, aBody({ ...fields }));

async function change(before: object, patch: object) {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain, { ...before });
  return await domain.changeOrder(OWNER, id, patch);
}

const CODE = 'invalid_value (must be a code of ISO 3166-1 alpha-2 in upper case, such as DE)';
const NO_MEMBER = 'buyer: required (must have a member that is set, or be null)';

/** An object whose own member has the name of the prototype. */
const WITH_PROTO: unknown = JSON.parse('{"name":"A","__proto__":{}}');

describe('who and where, and external ids', () => {
  it('are set when an order is placed, with every member; null and absent members are the same', async () => {
    expect((await succeeds(place(ALL))).order).toMatchObject(ALL);
    const given = {
      buyer: { email: BUYER.email, name: BUYER.name },
      external_ids: { ...ALL.external_ids, none: [], no: null },
    };
    const { order } = await succeeds(place(given));
    expect(order).toMatchObject({ external_ids: ALL.external_ids, buyer: BUYER, shipping_address: null });
    expect(JSON.stringify(order.buyer)).toBe(JSON.stringify(BUYER));
    const unset = { external_ids: {}, buyer: null, shipping_address: null, billing_address: null };
    for (const none of [{}, { external_ids: null, buyer: null }, { external_ids: { erp: [] } }])
      expect((await succeeds(place(none))).order).toMatchObject(unset);
  });

  it.each<readonly [string, object, string]>([
    ['a buyer that is text', { buyer: 'Ada' }, 'buyer: wrong_type (must be an object)'],
    ['an address that is a list', { shipping_address: [] }, 'shipping_address: wrong_type'],
    ['a buyer of whom nothing is set', { buyer: { name: null } }, NO_MEMBER],
    ['an empty buyer', { buyer: {} }, NO_MEMBER],
    ['an unknown member', { buyer: { name: 'A', age: 5 } }, 'buyer.age: unknown_field'],
    ['an inherited member', { buyer: WITH_PROTO }, 'buyer.__proto__: unknown_field'],
    ['an email without @', { buyer: { email: 'ada' } }, 'buyer.email: invalid_format'],
    ['an empty name', { buyer: { name: '' } }, 'buyer.name: too_short'],
    ['an address without a country', { billing_address: { city: 'x' } }, 'billing_address.country: required'],
    ['a country that is null', { billing_address: { country: null } }, 'billing_address.country: required'],
    ['a country in lower case', { shipping_address: { country: 'de' } }, `shipping_address.country: ${CODE}`],
    ['a withdrawn country', { shipping_address: { country: 'AN' } }, `shipping_address.country: ${CODE}`],
    ['a country that is a number', { shipping_address: { country: 49 } }, 'shipping_address.country: wrong_type'],
    ['external ids that are a list', { external_ids: ['1'] }, 'external_ids: wrong_type (must be an object)'],
    ['an id that is no list', { external_ids: { erp: '1' } }, 'external_ids["erp"]: wrong_type (must be an array)'],
    ['an id that is a number', { external_ids: { erp: [1] } }, 'external_ids["erp"][0]: wrong_type'],
    ['an empty id', { external_ids: { erp: [''] } }, 'external_ids["erp"][0]: too_short'],
    ['an id twice', { external_ids: { erp: ['1', '2', '1'] } }, 'external_ids["erp"][2]: invalid_value'],
    ['a system in upper case', { external_ids: { ERP: ['1'] } }, 'external_ids["ERP"]: invalid_format'],
    ['a system without a name', { external_ids: { '': ['1'] } }, 'external_ids[""]: invalid_format'],
    [
      'a long system',
      { external_ids: { ['s'.repeat(41)]: ['1'] } },
      `external_ids["${'s'.repeat(41)}"]: invalid_format`,
    ],
    [
      '21 ids of a system',
      { external_ids: { erp: ids(21) } },
      'external_ids["erp"]: too_long (must have at most 20 ids)',
    ],
    ['21 ids in all', { external_ids: systems(21) }, 'external_ids: too_long (must have at most 20 ids in all)'],
    ['41 systems', { external_ids: systems(41, null) }, 'external_ids: too_long (must have at most 40 systems)'],
  ])('are rejected with %s, when placing and in a patch', async (_, fields, field) => {
    expect(await fails(place(fields))).toMatchObject(invalidFields(field));
    expect((await change({}, fields))._unsafeUnwrapErr()).toMatchObject(invalidFields(field));
  });

  it('are rejected together, in the order of the fields', async () => {
    const wrong = { billing_address: { country: 'AN' }, buyer: {}, external_ids: systems(21), shipping_address: {} };
    const fields = [
      'external_ids: too_long',
      'buyer: required',
      'shipping_address.country: required',
      'billing_address.country: invalid_value',
    ];
    expect(await fails(place(wrong))).toMatchObject(invalidFields(...fields));
    // A patch has two stages: what it says, and what the merge makes of it, behind an unknown customer.
    const patch = { ...wrong, billing_address: null };
    const merged = fields.slice(0, 3);
    expect((await change({}, patch))._unsafeUnwrapErr()).toMatchObject(invalidFields(...merged));
    const domain = aDomain();
    await aPlacedOrder(domain, { reference: 'taken' });
    const { id } = await aPlacedOrder(domain);
    const all = { ...patch, reference: 'taken', metadata: Object.fromEntries(ids(51).map((key) => [key, ''])) };
    expect(await fails(domain.changeOrder(OWNER, id, { ...all, customer_id: UNKNOWN_ID }))).toMatchObject(
      invalidFields('customer_id: not_found', ...merged, 'metadata: too_long'),
    );
    expect(await fails(domain.changeOrder(OWNER, id, { ...all, customer_id: CUSTOMER }))).toMatchObject(
      invalidFields(...merged, 'metadata: too_long'),
    );
    expect(await fails(domain.changeOrder(OWNER, id, { reference: 'taken' }))).toMatchObject({
      type: 'reference_taken',
    });
  });

  it.each(['pending', 'paid', 'shipped', 'delivered', 'cancelled'] as const)(
    'are set in the status %s',
    async (status) => {
      const domain = aDomain();
      const { id } = await anOrderIn(domain, status);
      const { order, event } = await succeeds(domain.changeOrder(OWNER, id, ALL));
      expect(order).toMatchObject({ ...ALL, status });
      expect(event?.changed).toEqual(['external_ids', 'buyer', 'shipping_address', 'billing_address']);
    },
  );

  it('may have 20 ids, and a patch that removes 20 systems and sets 20 others', async () => {
    const before = { external_ids: systems(20) };
    const others = Object.fromEntries(ids(20).map((id) => [`t${id}`, [id]]));
    const patched = await change(before, { external_ids: { ...systems(20, null), ...others } });
    expect(patched._unsafeUnwrap().order.external_ids).toEqual(others);
    const one = await change(before, { external_ids: { more: ['1'] } });
    expect(one._unsafeUnwrapErr()).toMatchObject(invalidFields('external_ids: too_long'));
  });

  it('are data of the order alone: an address of an imported order may be in a country that has ended', async () => {
    const domain = aDomain();
    const address = { country: 'AN', city: 'Willemstad' };
    const imported = { ...aBody(), reference: 'old', shipping_address: address };
    const { order } = await succeeds(domain.importOrder(OWNER, imported));
    const patch = { shipping_address: { line1: 'Broad Street 1' } };
    const changed = await succeeds(domain.changeOrder(OWNER, order.id, patch));
    expect(changed.order.shipping_address).toMatchObject({ ...address, line1: 'Broad Street 1' });
  });
});

/** RFC 7396, section 2, line by line. */
function rfc7396(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else Object.defineProperty(result, name, { value: rfc7396(result[name], value), ...OWN });
  }
  return result;
}

const OWN = { enumerable: true, configurable: true, writable: true };

/** Returns a value without null members and empty lists at any depth, which is what a merge patch can express. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutNulls(member)] as const);
  return Object.fromEntries(
    members.filter(([, member]) => member !== null && !(Array.isArray(member) && member.length === 0)),
  );
}

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 });
const text = fc.constantFrom('a', 'b');
const someAddress = fc.record(
  { country: nullable(fc.constantFrom('DE', 'XK')), city: nullable(text), line1: nullable(text) },
  { requiredKeys: [] },
);
const someIds = nullable(fc.uniqueArray(text, { maxLength: 2 }));
const somePatch = fc.record(
  {
    external_ids: nullable(
      fc
        .array(fc.tuple(fc.constantFrom('erp', 'stripe', '__proto__', 'constructor'), someIds))
        .map((entries) => Object.fromEntries(entries)),
    ),
    buyer: nullable(fc.record({ name: nullable(text), email: nullable(fc.constant('a@b')) }, { requiredKeys: [] })),
    shipping_address: nullable(someAddress),
    metadata: nullable(fc.dictionary(fc.constantFrom('a', '__proto__'), nullable(text))),
    note: nullable(text),
  },
  { requiredKeys: [] },
);

const NAMES = Object.keys(ORDER_FIELDS);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

describe('a patch of an order', () => {
  it('merges as RFC 7396 says at every depth, or is rejected as a whole; a replay has the same result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(somePatch, { minLength: 1, maxLength: 6 }), async (patches) => {
        const domain = aDomain();
        let order = await aPlacedOrder(domain);
        for (const [at, patch] of patches.entries()) {
          const before = Object.fromEntries(NAMES.map((name) => [name, Reflect.get(order, name)]));
          const expected = membersOf(withoutNulls(rfc7396(withoutNulls(before), patch)));
          const options = { idempotencyKey: `key-${at}` };
          const changed = await domain.changeOrder(OWNER, order.id, patch, options);
          const { buyer, shipping_address: address } = expected;
          const isInvalid = JSON.stringify(buyer) === '{}' || (isObject(address) && address['country'] === undefined);
          expect(changed.isErr()).toBe(isInvalid);
          if (changed.isErr()) continue;
          const { order: after, event } = changed.value;
          const fields = Object.fromEntries(NAMES.map((name) => [name, Reflect.get(after, name)]));
          const isSet = ([, value]: readonly [string, unknown]) => JSON.stringify(value) !== '{}';
          expect(Object.fromEntries(Object.entries(membersOf(withoutNulls(fields))).filter(isSet))).toEqual(
            Object.fromEntries(Object.entries(expected).filter(isSet)),
          );
          expect(event === null).toBe(after.version === order.version);
          expect(await succeeds(domain.changeOrder(OWNER, order.id, patch, options))).toMatchObject({
            order: after,
            replayed: true,
          });
          order = after;
        }
      }),
      propertyRuns(100),
    );
  });

  it('has null members that count, unlike those of a new order', async () => {
    const domain = aDomain();
    const key = { idempotencyKey: 'k' };
    const body = aBody({ buyer: { name: 'A' }, external_ids: { erp: ['1'] } });
    const { order } = await succeeds(domain.placeOrder(OWNER, body, key));
    const nulls = {
      ...body,
      note: null,
      buyer: { name: 'A', email: null },
      shipping_address: null,
      external_ids: { erp: ['1'], stripe: null, psp: [] },
      metadata: {},
    };
    expect(await succeeds(domain.placeOrder(OWNER, nulls, key))).toMatchObject({ order, replayed: true });
    const other = domain.placeOrder(OWNER, { ...body, external_ids: { erp: ['2'] } }, key);
    expect(await fails(other)).toMatchObject({ type: 'idempotency_key_reused' });
    const change = { idempotencyKey: 'c' };
    await succeeds(domain.changeOrder(OWNER, order.id, { buyer: { company: 'C' } }, change));
    const withNull = domain.changeOrder(OWNER, order.id, { buyer: { company: 'C', email: null } }, change);
    expect(await fails(withNull)).toMatchObject({ type: 'idempotency_key_reused' });
  });
});
