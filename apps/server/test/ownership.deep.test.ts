import { expect, it, onTestFinished } from 'vitest';
import { probeOwnership } from '../../../packages/http-adapter/test/ownership/probe.ts';
import { composeServer } from './composed-server.ts';

/** Out of reach, so that the answers tell how much is left. */
const RATE_LIMIT = '1000000';

// Whose something is, the statements decide: what the probe shows of the domain in memory it has to show of them too.
it("another owner's resource answers as one that never existed, from PostgreSQL too", async () => {
  const { app, issueKey, close } = await composeServer({ RATE_LIMIT_READ: RATE_LIMIT, RATE_LIMIT_WRITE: RATE_LIMIT });
  onTestFinished(close);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentialsOf = async (owner: string) => ({ 'x-api-key': await issueKey(owner) });
  const { findings, requests } = await probeOwnership({ origin, credentialsOf });
  expect(findings).toEqual([]);
  expect(requests).toBeGreaterThan(5000);
});
