import type { ApiKeyStore, ClientCertificateStore } from '@orders/http-adapter';
import type { ApiKeyRepository, ClientCertificateRepository } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { every, type Job } from './job.ts';

/** Maximum number of credentials of a kind whose uses are kept at a time. Further ones are noted by a later use. */
const USED_MAX = 10_000;

/** The stored credentials, which note in memory what they find, and the job that records it. */
export interface UsedCredentials {
  readonly apiKeys: ApiKeyStore;
  readonly clientCertificates: ClientCertificateStore;
  readonly recordUses: Job;
}

/**
 * Returns credentials whose uses are recorded: every minute, and before the job stops. A request looks its credential up
 * when the cache has not had it for half a minute, so that the others cost nothing more.
 */
export function usedCredentials(
  apiKeys: Pick<ApiKeyRepository, 'find' | 'recordUses'>,
  clientCertificates: Pick<ClientCertificateRepository, 'find' | 'recordUses'>,
  log: FastifyBaseLogger,
  now: () => Date,
): UsedCredentials {
  const keys = { used: new Set<string>(), recordUses: apiKeys.recordUses };
  const certificates = { used: new Set<string>(), recordUses: clientCertificates.recordUses };
  const step = async () => {
    for (const { used, recordUses } of [keys, certificates]) {
      const ids = [...used];
      if (ids.length === 0) continue;
      used.clear();
      const recorded = await recordUses(ids, now().toISOString());
      if (recorded.isOk()) continue;
      for (const id of ids) note(used, id);
      throw recorded.error.cause;
    }
  };
  const failure = 'the uses of credentials could not be recorded; the next run does it';
  const { name, run } = every({ name: 'credential_uses', intervalMs: 60 * 1000, step, failure }, log);
  return {
    apiKeys: {
      find: (keyHash) =>
        apiKeys.find(keyHash).map((key) => {
          if (key?.revoked_at === null && (key.expires_at ?? '~') > now().toISOString()) note(keys.used, key.prefix);
          return key;
        }),
    },
    clientCertificates: {
      find: (identities) =>
        clientCertificates.find(identities).map((mapping) => {
          if (mapping) note(certificates.used, mapping.identity);
          return mapping;
        }),
    },
    recordUses: {
      name,
      run: async (signal) => {
        await run(signal);
        await step().catch((err: unknown) => log.warn({ err }, 'the last uses of credentials could not be recorded'));
      },
    },
  };
}

function note(used: Set<string>, id: string): void {
  if (used.size < USED_MAX) used.add(id);
}
