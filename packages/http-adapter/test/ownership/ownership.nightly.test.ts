import { expect, it } from 'vitest';
import { operationsOf } from '../fuzz/operations.ts';
import { aProbedApi } from './a-probed-api.ts';
import { probeOwnership } from './probe.ts';

it("another owner's resource has the same responses as a nonexistent one", async () => {
  const { server, app } = await aProbedApi();
  const report = await probeOwnership(server);
  expect(report.findings).toEqual([]);
  expect(report.operations.toSorted()).toEqual(idsOfOperationsWithId((await app.inject('/openapi.json')).json()));
  // The probe sends many variations of each request.
  expect(report.requests).toBeGreaterThan(5000);
});

function idsOfOperationsWithId(document: unknown): readonly string[] {
  return operationsOf(document)
    .filter(({ path }) => path.includes('{'))
    .map(({ id }) => id)
    .toSorted();
}
