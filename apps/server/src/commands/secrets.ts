import { randomUUIDv7 } from 'node:crypto';
import { OperatorError } from '../operator-error.ts';
import { REASON } from './audited.ts';
import type { Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { print } from './print.ts';

/** Replaces the secrets of webhooks that derive from a key which is lost or has leaked. May be repeated. */
export const replaceSecrets: Command = {
  usage: 'secrets replace <fingerprint>',
  records: ({ positionals: [subject = ''] }) => ({ action: 'replace_secrets', subject }),
  about: 'replaces the webhook secrets of a lost signing key, and disables their endpoints',
  options: [REASON],
  examples: ['secrets replace 1a2b3c4d5e6f7a8b'],
  prepare: ({ positionals: [fingerprint = ''] }) => {
    if (!/^[0-9a-f]{16}$/.test(fingerprint))
      throw new OperatorError(['FINGERPRINT: must be 16 hexadecimal digits, as the server reports them']);
    return async ({ database }, _signal, config) => {
      const { replaceLostSecrets } = await import('@orders/domain/webhooks');
      const { endpointsOfSigningKey, postgresWebhookEndpoints } = await import('@orders/persistence');
      const { signingKeyFingerprint, webhookSecrets } = await import('@orders/webhooks');
      const { signingKeys } = await import('../config/webhook-settings.ts');
      const keys = await signingKeys(config);
      if (keys.map(signingKeyFingerprint).includes(fingerprint)) {
        throw new OperatorError([
          'FINGERPRINT: this key is not lost; remove it from WEBHOOK_SIGNING_KEYS of all servers to replace its secrets',
        ]);
      }
      const ports = {
        endpoints: postgresWebhookEndpoints(database),
        secrets: webhookSecrets(keys),
        clock: { now: () => new Date() },
        ids: { next: randomUUIDv7 },
      };
      const find = () => databaseResult(endpointsOfSigningKey(database, fingerprint));
      let count = 0;
      for (let found = await find(); found.length > 0; found = await find()) {
        for (const { owner, id } of found) {
          const isDisabled = await databaseResult(replaceLostSecrets(ports, owner, id, fingerprint));
          await print(`${id} of ${owner}${isDisabled ? ' is disabled' : ''}\n`);
          count += 1;
        }
      }
      await print(`The secrets of ${count} endpoints are replaced.\n`);
    };
  },
};
