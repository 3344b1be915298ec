import { expect, it, onTestFinished } from 'vitest';
import { probedOperations } from '../../../../packages/http-adapter/test/ownership/families.ts';
import { probeOwnership } from '../../../../packages/http-adapter/test/ownership/probe.ts';
import { composeServer } from './composed-server.ts';

/** A high limit, so that responses show how much is left. */
const RATE_LIMIT = '1000000';

// The statements determine the owner, so that the probe is of a whole server.
it("another owner's resource has the same responses as a nonexistent one", async () => {
  const { app, issueKey, close } = await composeServer({ RATE_LIMIT_READ: RATE_LIMIT, RATE_LIMIT_WRITE: RATE_LIMIT });
  onTestFinished(close);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentialsOf = async (owner: string) => ({ 'x-api-key': await issueKey(owner) });
  const { findings, operations, requests } = await probeOwnership({ origin, credentialsOf });
  expect(findings).toEqual([]);
  const ofResources = probedOperations((await app.inject('/openapi.json')).json()).filter(({ path }) =>
    path.includes('{'),
  );
  expect(operations.toSorted()).toEqual(ofResources.map(({ id }) => id).toSorted());
  // The probe sends many variations of each request.
  expect(requests).toBeGreaterThan(5000);
}, 900_000);
