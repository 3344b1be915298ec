import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { probeOwnership } from '../../../packages/http-adapter/test/ownership/probe.ts';
import { compose } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { openStore, type Store } from '../src/store.ts';

/** Out of reach, so that the answers tell how much is left. */
const RATE_LIMIT = '1000000';

let folder: string;
let postgres: EmbeddedPostgres;
let store: Store;
let app: FastifyInstance;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-ownership-'));
  const dataDir = join(folder, 'data');
  // By a program, because it keeps whose the files are.
  await promisify(execFile)('cp', ['-a', inject('preparedDataDir'), dataDir]);
  postgres = await startEmbeddedPostgres({ dataDir });
  const limits = { RATE_LIMIT_READ: RATE_LIMIT, RATE_LIMIT_WRITE: RATE_LIMIT };
  const config = readConfig({ DATABASE_URL: postgres.url, LOG_LEVEL: 'silent', ...limits });
  store = await openStore(config, 'alone', () => undefined);
  app = await compose(config, { database: store.database, log: createLog(config) });
});

afterAll(async () => {
  await app.close();
  await store.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Headers with a new key of `owner`. */
async function credentialsOf(owner: string): Promise<Readonly<Record<string, string>>> {
  const { key, prefix, hash: keyHash } = newApiKey();
  const created_at = new Date().toISOString();
  const stored = { keyHash, prefix, owner, scopes: SCOPES, created_at, expires_at: null };
  (await store.apiKeys.insert(stored))._unsafeUnwrap();
  return { 'x-api-key': key };
}

// Whose something is, the statements decide: what the probe shows of the domain in memory it has to show of them too.
it("another owner's resource answers as one that never existed, from PostgreSQL too", async () => {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const { findings, requests } = await probeOwnership({ origin, credentialsOf });
  expect(findings).toEqual([]);
  expect(requests).toBeGreaterThan(5000);
});
