import { inMemoryStore } from '@orders/domain/testing';
import type { FastifyInstance } from 'fastify';
import { expect, it } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import { aWebhooks } from '../fixtures/a-webhooks.ts';
import { anApi } from '../fixtures/an-api.ts';
import { portOf } from '../fixtures/raw-http.ts';
import { probedOperations } from './families.ts';
import { type ProbedServer, probeOwnership } from './probe.ts';

it("another owner's resource has the same responses as a nonexistent one", async () => {
  const { server, app } = await aProbedApi();
  const report = await probeOwnership(server);
  expect(report.findings).toEqual([]);
  expect(report.operations.toSorted()).toEqual(idsOfOperationsWithId((await app.inject('/openapi.json')).json()));
  // The probe sends many variations of each request.
  expect(report.requests).toBeGreaterThan(5000);
});

function idsOfOperationsWithId(document: unknown): readonly string[] {
  return probedOperations(document)
    .filter(({ path }) => path.includes('{'))
    .map(({ id }) => id)
    .toSorted();
}

/** Starts an in-memory API for the probe. Its rate limits are never reached, but reported. */
async function aProbedApi(): Promise<{ readonly server: ProbedServer; readonly app: FastifyInstance }> {
  const store = inMemoryStore();
  const { app, keys } = await anApi({
    domain: aDomain(undefined, store),
    feed: store.feed,
    webhooks: aWebhooks(store),
    rateLimits: { read: 1_000_000, write: 1_000_000 },
    // The many requests of the probe would only fill the log.
    server: { logger: false },
  });
  const credentialsOf = (owner: string) => Promise.resolve({ 'x-api-key': keys.issue({ owner }) });
  return { app, server: { origin: `http://127.0.0.1:${await portOf(app)}`, credentialsOf } };
}
