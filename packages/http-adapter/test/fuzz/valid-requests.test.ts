import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unexplained } from './beyond-the-schema.ts';
import { OPERATION_IDS, operationOf } from './fuzzed-operation.ts';
import { aSeededApi } from './seeded-api.ts';
import { validRequests } from './valid-requests.ts';

/** What valid requests meet sooner or later, wherever the document has it. */
const COMMON = /^(2..|304|404|409|412)$/;

// Bodies are judged by the domain's validators alone, and the schemas describe them: this file and the one about
// requests that are not valid show that both agree.
describe('a request that the document allows', () => {
  it.each(OPERATION_IDS)('is answered as documented, and not refused as invalid: %s', async (id) => {
    const api = await aSeededApi();
    const operation = operationOf(api, id);
    const met = new Set<string>();
    const valid = validRequests(operation, api.servers, api.known(operation));
    await fc.assert(
      fc.asyncProperty(valid, async (request) => {
        const response = await api.send(request);
        expect(response.status).toBeLessThan(500);
        expect(operation.statuses).toContain(`${response.status}`);
        expect(unexplained(request, api, response)).toEqual([]);
        met.add(`${response.status}`);
      }),
      propertyRuns(150),
    );
    const common = operation.statuses.filter((status) => COMMON.test(status));
    expect([...met]).toEqual(expect.arrayContaining(common));
  });
});
