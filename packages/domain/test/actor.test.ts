import { isActor } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, type DomainUnderTest, OWNER, succeeds } from './a-domain.ts';

const INVALID = ['', 'a'.repeat(256), 'é', 'tab\t', 'line\n', '\u007f', null, 7, ['a']];

describe('an actor', () => {
  it.each(['a', ' ~', 'client:shop', 'a'.repeat(255)])('may be 1 to 255 printable ASCII characters: %j', (actor) => {
    expect(isActor(actor)).toBe(true);
  });

  it.each([...INVALID, undefined])('must not be %j', (actor) => {
    expect(isActor(actor)).toBe(false);
  });

  it('is recorded with each kind of write, and is null by default', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), { actor: 'a' }));
    await succeeds(domain.changeOrder(OWNER, order.id, { note: 'x' }, { actor: 'b' }));
    await succeeds(domain.changeOrder(OWNER, order.id, { note: 'y' }));
    await succeeds(domain.cancelOrder(OWNER, order.id, {}, { actor: 'c' }));
    await succeeds(domain.deleteOrder(OWNER, order.id, { actor: 'd' }));
    const { customer } = await succeeds(domain.createCustomer(OWNER, { email: 'a@b.example' }, { actor: 'e' }));
    await succeeds(domain.changeCustomer(OWNER, customer.id, { name: 'x' }, { actor: 'f' }));
    await succeeds(domain.deleteCustomer(OWNER, customer.id, { actor: 'g' }));
    expect(domain.events().map(({ actor }) => actor)).toEqual(['a', 'b', null, 'c', 'd', 'e', 'f', 'g']);
    const { data } = await succeeds(domain.listOrderVersions(OWNER, order.id));
    expect(data.map(({ actor }) => actor)).toEqual(['d', 'c', null, 'b', 'a']);
  });

  it('does not distinguish retries with one idempotency key, and is that of the first', async () => {
    const domain = aDomain();
    const place = (actor: string) => succeeds(domain.placeOrder(OWNER, aBody(), { idempotencyKey: 'k', actor }));
    const { order } = await place('a');
    expect(await place('b')).toMatchObject({ order, replayed: true });
    expect(domain.events().map(({ actor }) => actor)).toEqual(['a']);
  });

  it.each(INVALID)('is a bug of the caller if it is %j, and nothing is stored', async (actor) => {
    const domain = aDomain();
    await expect(placeAs(domain, actor)).rejects.toThrow(
      new TypeError('the actor must be a string of 1 to 255 printable ASCII characters'),
    );
    expect(domain.events()).toEqual([]);
  });
});

/** Places an order with an actor of any type, as untyped JavaScript can. */
async function placeAs({ placeOrder }: DomainUnderTest, actor: unknown): Promise<unknown> {
  return await Reflect.apply(placeOrder, undefined, [OWNER, aBody(), Object.assign({}, { actor })]);
}
