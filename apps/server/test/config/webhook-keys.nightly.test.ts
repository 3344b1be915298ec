import { anEventOfEndpoint, aWebhookEndpoint } from '@orders/domain/testing';
import { openDatabase, postgresWebhookEndpoints } from '@orders/persistence';
import { signingKeyFingerprint } from '@orders/webhooks';
import { describe, expect, it } from 'vitest';
import { requireKeysInUse } from '../../src/config/webhook-settings.ts';
import { run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const [OLD_KEY = '', NEW_KEY = ''] = ['old', 'new'].map((text) => Buffer.alloc(32, text).toString('base64'));

/** Stores an endpoint whose secret derives from `key`. */
async function storeEndpoint(url: string, key: string): Promise<void> {
  const database = openDatabase({ url });
  const endpoint = aWebhookEndpoint({ secrets: [{ serial: 1, key: signingKeyFingerprint(key), expires_at: null }] });
  const event = anEventOfEndpoint('shop', endpoint);
  const write = { kind: 'create', after: endpoint, event, key: undefined } as const;
  (await postgresWebhookEndpoints(database).commit('shop', write))._unsafeUnwrap();
  await database.close();
}

describe('a server with webhooks', () => {
  it('does not start without a key that a secret refers to, and prints no key', async () => {
    const database = await aDatabase();
    await storeEndpoint(database.url, OLD_KEY);
    const environment = { PORT: '0', DATABASE_URL: database.url, WEBHOOK_SIGNING_KEYS: NEW_KEY };
    const { code, stdout, stderr } = await run('main.ts', environment).finished;
    expect(code).toBe(1);
    expect(stderr).toBe(
      `orders cannot continue:\n  WEBHOOK_SIGNING_KEYS: must contain the keys of all secrets in use; missing by fingerprint: ${signingKeyFingerprint(OLD_KEY)}; if one is lost, pnpm orders secrets replace FINGERPRINT replaces its secrets\n`,
    );
    expect(stdout).not.toContain(NEW_KEY);

    const server = await startServerOn(database, { WEBHOOK_SIGNING_KEYS: `${NEW_KEY},${OLD_KEY}` });
    expect((await server.send('/v1/orders')).status).toBe(200);
    const ended = await server.stop();
    for (const key of [OLD_KEY, NEW_KEY]) expect(ended.stdout + ended.stderr).not.toContain(key);
    const without = await startServerOn(database, { WEBHOOKS: 'off' });
    expect((await without.send('/v1/orders')).status).toBe(200);
  });

  it('does not start when its endpoints cannot be read', async () => {
    const unreachable = openDatabase({ url: 'postgresql://orders@127.0.0.1:1/orders' });
    await expect(requireKeysInUse(unreachable, [OLD_KEY], () => undefined)).rejects.toThrow(
      'the webhook endpoints cannot be read: ',
    );
    await unreachable.close();
  });
});
