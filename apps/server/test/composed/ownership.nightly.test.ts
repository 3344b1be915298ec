import { expect, it, onTestFinished } from 'vitest';
import { probeOwnership } from '../../../../packages/http-adapter/test/ownership/probe.ts';
import { composeServer } from './composed-server.ts';

/** A high limit, so that responses show how much is left. */
const RATE_LIMIT = '1000000';

// The statements determine the owner. The probe that checks the in-memory domain must find the same here.
it('a resource of another owner gets the same response as a nonexistent one, from PostgreSQL too', async () => {
  const { app, issueKey, close } = await composeServer({ RATE_LIMIT_READ: RATE_LIMIT, RATE_LIMIT_WRITE: RATE_LIMIT });
  onTestFinished(close);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentialsOf = async (owner: string) => ({ 'x-api-key': await issueKey(owner) });
  const { findings, operations, requests } = await probeOwnership({ origin, credentialsOf });
  expect(findings).toEqual([]);
  // An operation that the server does not have cannot leak.
  expect(operations).toEqual(expect.arrayContaining(['cancel_order', 'delete_customer', 'redeliver_webhook_event']));
  expect(requests).toBeGreaterThan(5000);
});
