import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../comparison/progress.ts';
import { startBenchDatabase } from '../database/bench-database.ts';
import { type AcceptedDefinition, acceptedDefinition } from './accepted-definition.ts';
import { DEFINITIONS } from './definitions.ts';
import { during } from '../webhooks/webhooks-site.ts';
import { customFamilies, families } from './hostile-requests.ts';
import { BETWEEN, measureSite, type Place, type SiteResults } from './measure-site.ts';
import { type Site, startSite } from './site.ts';

/** The parameters that determine the requests of a run. */
export interface HostilePlan {
  readonly seed: number;
  readonly requests: number;
  /** The ids of the only requests to send. Default: all. */
  readonly only: readonly string[];
}

export const HOSTILE_REQUESTS = { full: 5000, quick: 1500 };

/** The share of requests to servers with a hostile definition. */
const CUSTOM_SHARE = 0.25;

export interface HostileResults {
  readonly seed: number;
  /** Titles of definitions that the server rejects. */
  readonly rejected: readonly string[];
  readonly sites: readonly SiteResults[];
}

/** Sends hostile requests to servers, and compares their cost with that of the largest valid requests. */
export async function measureHostile(plan: HostilePlan, progress: Progress): Promise<HostileResults> {
  const postgres = await startBenchDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'orders-hostile-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const keySet = await serveKeySet();
  const environment = {
    ...keySet.environment,
    WEBHOOKS: 'api',
    WEBHOOK_SIGNING_KEYS: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
  };
  const rejected: string[] = [];
  const sites: SiteResults[] = [];
  const all = placesOf(plan);
  progress.begin(all.reduce((sum, places) => sum + Math.ceil(places.length / BETWEEN), 0));
  try {
    for (const [server, places] of all.entries()) {
      if (places.length === 0) continue;
      const path = join(folder, `${server}.json`);
      const definition = server === 0 ? undefined : await acceptedDefinition(plan.seed, server, path, rejected);
      if (server > 0 && !definition) continue;
      const measured = during(startSite(postgres, environment, definition), (site) =>
        measureOn(site, plan.seed, places, () => progress.step(site.title), definition),
      );
      sites.push(await measured);
    }
  } finally {
    keySet.stop();
    await postgres.stop();
    remove();
    process.off('exit', remove);
  }
  return { seed: plan.seed, rejected, sites };
}

async function measureOn(
  site: Site,
  seed: number,
  places: readonly Place[],
  onStep: () => void,
  definition?: AcceptedDefinition,
): Promise<SiteResults> {
  const routes = definition ? site.routes.filter(({ id }) => /^(place|change)_order$/.test(id)) : site.routes;
  const [first, ...more] = definition ? customFamilies(routes, definition) : families(routes);
  if (!first) throw new Error('no family of requests');
  return measureSite(site, [first, ...more], routes, seed, places, onStep);
}

/** Returns the requests of each server. */
function placesOf({ requests, only }: HostilePlan): readonly (readonly Place[])[] {
  const custom = Math.floor((requests * CUSTOM_SHARE) / DEFINITIONS);
  return Array.from({ length: DEFINITIONS + 1 }, (_, server) => {
    if (only.length > 0) {
      const own = only.map((id) => id.split(':').map(Number)).filter(([of]) => of === server);
      return own.map(([, index = 0]) => ({ server, index }));
    }
    const count = server === 0 ? requests - custom * DEFINITIONS : custom;
    return Array.from({ length: count }, (__, index) => ({ server, index }));
  });
}

/** Serves the key set of a token issuer, so that a server validates tokens. Returns the variables of the server. */
async function serveKeySet(): Promise<{
  readonly environment: Readonly<Record<string, string>>;
  stop(): void;
}> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'known', alg: 'ES256' }];
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys }))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the key set has no port');
  const AUTH_JWT_JWKS_URL = `http://127.0.0.1:${address.port}`;
  return {
    environment: { AUTH_JWT_JWKS_URL, AUTH_JWT_ISSUER: 'https://issuer.example', AUTH_JWT_AUDIENCE: 'orders' },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
