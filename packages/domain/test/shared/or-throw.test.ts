import { isRejected, orThrow, type OrderWritten, type PlaceOrderError, Rejected } from '@orders/domain';
import { err, ok } from 'neverthrow';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { aBody, aDomain, OWNER } from '../fixtures/a-domain.ts';

async function placeTwice() {
  const domain = aDomain();
  const place = () => domain.placeOrder(OWNER, { ...aBody(), reference: 'R-1' });
  const first = orThrow(await place());
  try {
    await orThrow(place());
  } catch (cause) {
    return { placeOrder: place, first, cause };
  }
  throw new Error('the reference was free');
}

describe('orThrow', () => {
  it('returns the value, and throws the error with its code, details and the stack of the caller', async () => {
    const { placeOrder, first, cause } = await placeTwice();
    expectTypeOf(first).toEqualTypeOf<OrderWritten>();
    expect(cause).toBeInstanceOf(Error);
    expect(cause).toMatchObject({
      message: 'the use case failed with reference_taken',
      type: 'reference_taken',
      details: { type: 'reference_taken', order_id: first.order.id },
      stack: expect.stringContaining('or-throw') as unknown,
    });
    expect(cause).not.toHaveProperty('cause');
    if (!isRejected(cause, placeOrder)) throw new Error('it was thrown by orThrow');
    expectTypeOf(cause.details).toEqualTypeOf<PlaceOrderError>();
    expectTypeOf(cause.type).toEqualTypeOf<PlaceOrderError['type']>();
    if (cause.details.type === 'reference_taken') expectTypeOf(cause.details.order_id).toEqualTypeOf<string>();
  });

  it('passes on the cause of an unavailable store', () => {
    const cause = new Error('connection refused');
    expect(() => orThrow(err({ type: 'unavailable' as const, cause }))).toThrow(expect.objectContaining({ cause }));
    const own = Object.assign(new Error('x'), { type: 'transaction_failed' });
    expect(() => orThrow(err(own))).toThrow(own);
    expect(orThrow(ok(1))).toBe(1);
  });

  it('is distinguished from what else was thrown', () => {
    expect(
      [new Rejected({ type: 'not_found' }), new Error('x'), null, 'Rejected'].map((one) => isRejected(one)),
    ).toEqual([true, false, false, false]);
  });
});
