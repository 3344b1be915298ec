import { createDomain, type Domain, type Order, ORDERS, untyped } from '@orders/domain';
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

describe('an instrumented use case', () => {
  it('reports its start and its success', async () => {
    const { useCases, seen } = watched();
    const placing = useCases.placeOrder('shop', AN_ORDER);
    expect(seen).toEqual(['placeOrder begins as 1']);
    expect((await placing).isOk()).toBe(true);
    expect(seen).toEqual(['placeOrder begins as 1', 'placeOrder ends as 1: ok']);
  });

  it('reports the type of its error', async () => {
    const { useCases, seen } = watched();
    expect((await untyped(useCases).placeOrder('shop', {})).isErr()).toBe(true);
    expect((await useCases.getOrder('shop', '00000000-0000-7000-8000-000000000000')).isErr()).toBe(true);
    expect(seen).toContain('placeOrder ends as 1: validation_failed');
    expect(seen).toContain('getOrder ends as 2: order_not_found');
  });

  it('reports a replay', async () => {
    const { useCases, seen } = watched();
    const options = { idempotencyKey: 'a-key' };
    for (let time = 0; time < 2; time += 1) (await useCases.placeOrder('shop', AN_ORDER, options))._unsafeUnwrap();
    expect(seen.filter((line) => line.includes('ends'))).toEqual([
      'placeOrder ends as 1: ok',
      'placeOrder ends as 2: replayed',
    ]);
  });

  it('returns the unchanged result, and passes the unchanged arguments', () => {
    const calls: unknown[][] = [];
    const result = okAsync<Order, never>(anOrder());
    const { useCases } = watched({
      getOrder: (...given) => {
        calls.push(given);
        return result;
      },
    });
    expect(useCases.getOrder('shop', 'id')).toBe(result);
    expect(calls).toEqual([['shop', 'id']]);
  });

  it('throws the exception of the use case, and reports it', () => {
    const bug = new Error('a bug');
    const { useCases, seen } = watched({
      getOrder: () => {
        throw bug;
      },
    });
    expect(() => useCases.getOrder('shop', 'id')).toThrow(bug);
    expect(seen).toEqual(['getOrder begins as 1', 'getOrder ends as 1: thrown']);
  });

  it('rejects with the reason of the use case, and reports it', async () => {
    const bug = new Error('a bug');
    const { useCases, seen } = watched({ getOrder: () => new ResultAsync(Promise.reject(bug)) });
    await expect(useCases.getOrder('shop', 'id')).rejects.toBe(bug);
    expect(seen).toEqual(['getOrder begins as 1', 'getOrder ends as 1: thrown']);
  });
});

describe('the instrumentation', () => {
  it('includes every use case of the domain', async () => {
    const added = { archiveOrder: () => errAsync({ type: 'order_not_archived' }) };
    const { useCases, seen } = watched(added);
    expect(Object.keys(useCases)).toContain('archiveOrder');
    const { definition, ...bound } = useCases;
    expect(definition).toBe(ORDERS);
    for (const [name, useCase] of Object.entries(bound)) {
      await Promise.resolve(Reflect.apply(useCase, undefined, ['shop', 'id', {}]));
      expect(seen.splice(0).map((line) => line.replaceAll(/ as \d+/g, ''))).toEqual([
        `${name} begins`,
        expect.stringMatching(new RegExp(`^${name} ends: [a-z_]+$`)),
      ]);
    }
  });
});
