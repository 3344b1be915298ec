import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unexplained } from './beyond-the-schema.ts';
import { OPERATION_IDS, operationOf } from './fuzzed-operation.ts';
import { aSeededApi } from './seeded-api.ts';
import { validRequests } from '../hostile/valid-requests.ts';

/** Statuses that valid requests reach if the document has them. */
const COMMON = /^(2..|304|404|409|412)$/;

// The domain alone validates bodies, and the schemas describe its rules. This test and that of invalid requests show
// that both agree.
describe('a request that the document allows', () => {
  it.each(OPERATION_IDS)('has a documented response, and is not rejected as invalid: %s', async (id) => {
    const api = await aSeededApi();
    const operation = operationOf(api, id);
    const met = new Set<string>();
    const valid = validRequests(operation, api.servers, api.known(operation));
    // Few requests repeat the one that used a key.
    const hasKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
    await fc.assert(
      fc.asyncProperty(valid, async (request) => {
        const response = await api.send(request);
        expect(response.status).toBeLessThan(500);
        expect(operation.statuses).toContain(`${response.status}`);
        expect(unexplained(request, response)).toEqual([]);
        met.add(`${response.status}`);
      }),
      propertyRuns(hasKey ? 100 : 40),
    );
    const common = operation.statuses.filter((status) => COMMON.test(status));
    expect([...met]).toEqual(expect.arrayContaining(common));
  });
});
