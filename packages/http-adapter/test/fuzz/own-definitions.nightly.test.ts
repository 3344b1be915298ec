import { ORDER_STATUSES_MAX, type OrderDefinition, ORDERS } from '@orders/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BAKERY } from '../fixtures/a-bakery.ts';
import { at } from '../fixtures/json.ts';
import { unexplained } from './beyond-the-schema.ts';
import type { FuzzRequest } from '../hostile/fuzz-requests.ts';
import { waysOf } from './fuzzed-operation.ts';
import { definitions } from './generated-definitions.ts';
import { aSeededApi, BATCH, type SeededApi } from './seeded-api.ts';
import type { RequestWay } from '../hostile/invalid-requests.ts';
import { validRequests } from '../hostile/valid-requests.ts';

const SEED = 20_260_102;

/** Sends requests of each operation but {@link BATCH} that the document of the definition allows, and invalid ones. */
async function checkRequests(api: SeededApi): Promise<void> {
  for (const operation of api.operations.filter(({ id }) => id !== BATCH)) {
    const valid = validRequests(operation, api.servers, api.known(operation));
    const send = async (request: FuzzRequest, isValid: boolean): Promise<void> => {
      // The client fails for a response that differs from the document of the definition.
      const response = await api.send(request);
      expect(response.status).toBeLessThan(500);
      expect(operation.statuses).toContain(`${response.status}`);
      // A patch of custom data may be valid although its result is not.
      const isCustomPatch = operation.method === 'PATCH' && at(request.body?.value, 'custom') !== undefined;
      const strange = isValid && !isCustomPatch ? unexplained(request, response) : [];
      expect(strange).toEqual([]);
    };
    await fc.assert(
      fc.asyncProperty(valid, (request) => send(request, true)),
      { seed: SEED, numRuns: 10 },
    );
    // In custom data, a patch by null removes a member, also one that no schema has.
    const removes = ({ name }: RequestWay) =>
      operation.method === 'PATCH' && /^body custom: .*unknown member$/.test(name);
    const ways = waysOf(api, operation).filter((way) => way.part !== undefined && !removes(way));
    for (const { broken } of ways)
      await fc.assert(
        fc.asyncProperty(broken, ({ request }) => send(request, false)),
        { seed: SEED, numRuns: 1 },
      );
  }
}

/** Returns generated definitions with at most so many statuses. */
const sample = (most: number, count = 100): readonly OrderDefinition[] =>
  fc.sample(definitions(most), { seed: SEED, numRuns: count });

describe('generated definitions', () => {
  it('have one status and forty, cycles, several terminal statuses and custom data among them', () => {
    const all = [...sample(6), ...sample(ORDER_STATUSES_MAX)];
    const counts = all.map(({ statuses }) => statuses.length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([1, ORDER_STATUSES_MAX]);
    const targets = all.map(({ lifecycle }) => Object.values(lifecycle));
    expect(targets.some((rows) => rows.filter(({ length }) => length === 0).length > 3)).toBe(true);
    expect(all.some(({ initial }, index) => targets[index]?.some((row) => row.includes(initial)))).toBe(true);
    expect(new Set(all.map(({ custom }) => custom === null))).toEqual(new Set([true, false]));
  });
});

describe('the API', () => {
  it.each([
    ['a bakery', BAKERY],
    ['one status', sample(1, 1)[0] ?? ORDERS],
    ['forty statuses', sample(ORDER_STATUSES_MAX).find(({ custom }) => custom !== null) ?? ORDERS],
  ])('responds to every request as the document of the definition says: %s', async (_, definition) => {
    expect(definition).not.toBe(ORDERS);
    await checkRequests(await aSeededApi(definition));
  });

  it.each(sample(6, 8).map((definition, index) => [index, definition] as const))(
    'responds to every request as the document of the definition says: generated %i',
    async (_, definition) => {
      expect(definition).not.toBe(ORDERS);
      await checkRequests(await aSeededApi(definition));
    },
  );
});
