import { distribute, openDatabase } from '@orders/persistence';
import { expect, inject, it, onTestFinished } from 'vitest';
import { probeOwnership } from '../../../../packages/http-adapter/test/ownership/probe.ts';
import {
  createClusterDatabase,
  twoPhaseCommits,
} from '../../../../packages/persistence/test/citus/cluster-database.ts';
import { composeServerOn } from '../composed/composed-server.ts';

const RATE_LIMIT = '1000000';

it('every operation works on distributed tables, hides foreign resources, and commits in one phase', async () => {
  const cluster = await createClusterDatabase(inject('citusUrl'));
  onTestFinished(cluster.drop);
  const database = openDatabase({ url: cluster.url });
  await database.migrate();
  await distribute(database);
  await database.close();
  const before = await twoPhaseCommits(cluster);

  const limits = { RATE_LIMIT_READ: RATE_LIMIT, RATE_LIMIT_WRITE: RATE_LIMIT };
  const { app, issueKey, close } = await composeServerOn(cluster.url, limits);
  try {
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const credentialsOf = async (owner: string) => ({ 'x-api-key': await issueKey(owner) });
    const { findings, operations, requests } = await probeOwnership({ origin, credentialsOf });
    expect(findings).toEqual([]);
    // Each of these creates deliveries first, as a worker does.
    expect(operations).toEqual(expect.arrayContaining(['list_webhook_deliveries', 'redeliver_webhook_event']));
    expect(requests).toBeGreaterThan(5000);
  } finally {
    await close();
  }
  expect(await twoPhaseCommits(cluster)).toBe(before);
});
