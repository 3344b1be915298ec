import { createDomain, type Domain, ORDERS, type PresentedOrder, presentOrder, untyped } from '@orders/domain';
import { anOrder, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { instrumentedDomain } from '../../src/instrumentation/instrumented-domain.ts';

/** Creates an in-memory domain with instrumentation that records events. */
function watched(otherwise: Partial<Domain> & { readonly archiveOrder?: () => unknown } = {}) {
  const { orders, customers } = inMemoryStore();
  const domain = createDomain({ orders, customers, clock: fixedClock(), ids: sequentialIds() });
  const seen: string[] = [];
  let begun = 0;
  const useCases = instrumentedDomain(
    { ...domain, ...otherwise },
    {
      begin: (useCase) => {
        begun += 1;
        seen.push(`${useCase} begins as ${begun}`);
        return begun;
      },
      end: (useCase, state, outcome) => void seen.push(`${useCase} ends as ${state}: ${outcome}`),
    },
  );
  return { useCases, seen };
}

const AN_ORDER = { items: [{ sku: 'A', name: 'A', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }] };
const BUG = new Error('a bug');

describe('an instrumented use case', () => {
  it('reports its start, its success and a replay', async () => {
    const { useCases, seen } = watched();
    const options = { idempotencyKey: 'a-key' };
    const placing = useCases.placeOrder('shop', AN_ORDER, options);
    expect(seen).toEqual(['placeOrder begins as 1']);
    expect((await placing).isOk()).toBe(true);
    expect((await useCases.placeOrder('shop', AN_ORDER, options)).isOk()).toBe(true);
    expect(seen.slice(1)).toEqual([
      'placeOrder ends as 1: ok',
      'placeOrder begins as 2',
      'placeOrder ends as 2: replayed',
    ]);
  });

  it('reports the type of its error', async () => {
    const { useCases, seen } = watched();
    expect((await untyped(useCases).placeOrder('shop', {})).isErr()).toBe(true);
    expect(seen).toContain('placeOrder ends as 1: validation_failed');
  });

  it('returns the unchanged result, and passes the unchanged arguments', () => {
    const calls: unknown[][] = [];
    const result = okAsync<PresentedOrder, never>(presentOrder(anOrder(), ORDERS));
    const { useCases } = watched({
      getOrder: (...given) => {
        calls.push(given);
        return result;
      },
    });
    expect(useCases.getOrder('shop', 'id')).toBe(result);
    expect(calls).toEqual([['shop', 'id']]);
  });

  it('throws or rejects as the use case does, and reports it', async () => {
    const throwing = watched({
      getOrder: () => {
        throw BUG;
      },
    });
    expect(() => throwing.useCases.getOrder('shop', 'id')).toThrow(BUG);
    const rejecting = watched({ getOrder: () => new ResultAsync(Promise.reject(BUG)) });
    await expect(rejecting.useCases.getOrder('shop', 'id')).rejects.toBe(BUG);
    for (const { seen } of [throwing, rejecting])
      expect(seen).toEqual(['getOrder begins as 1', 'getOrder ends as 1: thrown']);
  });
});

it('the instrumentation includes every use case of the domain', async () => {
  const { useCases, seen } = watched({ archiveOrder: () => errAsync({ type: 'order_not_archived' }) });
  expect(Object.keys(useCases)).toContain('archiveOrder');
  const { definition, ...bound } = useCases;
  expect(definition).toBe(ORDERS);
  for (const [name, useCase] of Object.entries(bound)) {
    const input = /^(import|place)\w+s$/.test(name) ? [] : name === 'continueErasures' ? null : 'id';
    await Promise.resolve(Reflect.apply(useCase, undefined, ['shop', input, {}]));
    expect(seen.splice(0).map((line) => line.replaceAll(/ as \d+/g, ''))).toEqual([
      `${name} begins`,
      expect.stringMatching(new RegExp(`^${name} ends: [a-z_]+$`)),
    ]);
  }
});
