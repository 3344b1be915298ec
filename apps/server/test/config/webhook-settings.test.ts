import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DENY_CIDRS_DEFAULT, isSigningKey } from '@orders/webhooks';
import { describe, expect, it } from 'vitest';
import { type Given, readConfig } from '../../src/config/config.ts';
import { hasWebhooks, SIGNING_KEY_FILE, signingKeys } from '../../src/config/webhook-settings.ts';
import { aFolder } from '../programs/running-server.ts';

const [OLD_KEY, NEW_KEY] = ['old', 'new'].map((text) => Buffer.alloc(32, text).toString('base64'));
const DATABASE_URL = 'postgresql://db/orders';

describe('webhooks', () => {
  it.each<[boolean, Given]>([
    [true, {}],
    [true, { WEBHOOKS: 'on' }],
    [true, { WEBHOOKS: 'api' }],
    [false, { WEBHOOKS: 'off' }],
    [false, { DATABASE_URL }],
    [true, { DATABASE_URL, WEBHOOK_SIGNING_KEYS: OLD_KEY }],
    [true, { DATABASE_URL, WEBHOOK_SIGNING_KEYS: OLD_KEY, WEBHOOKS: 'on' }],
    [false, { DATABASE_URL, WEBHOOK_SIGNING_KEYS: OLD_KEY, WEBHOOKS: 'off' }],
    [false, { DATABASE_URL, WEBHOOKS: 'off' }],
  ])('are on: %s, with %j', (isOn, environment) => {
    expect(hasWebhooks(readConfig(environment))).toBe(isOn);
  });

  it('have lists of keys and addresses', () => {
    const lists = { WEBHOOK_SIGNING_KEYS: `${NEW_KEY}, ${OLD_KEY}`, WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8,::1' };
    expect(readConfig(lists)).toMatchObject({
      WEBHOOK_SIGNING_KEYS: [NEW_KEY, OLD_KEY],
      WEBHOOK_ALLOW_CIDRS: ['10.0.0.0/8', '::1'],
      WEBHOOK_DENY_CIDRS: DENY_CIDRS_DEFAULT,
    });
    expect(readConfig({ WEBHOOK_DENY_CIDRS: '192.0.2.1' }).WEBHOOK_DENY_CIDRS).toEqual(['192.0.2.1']);
  });
});

describe('the signing key of the embedded database', () => {
  it('is made once, for its account alone', async () => {
    const DATA_DIR = await aFolder();
    const config = { DATA_DIR, WEBHOOK_SIGNING_KEYS: [] };
    const [key = '', ...others] = await signingKeys(config);
    expect(isSigningKey(key)).toBe(true);
    expect(others).toEqual([]);
    const file = join(DATA_DIR, SIGNING_KEY_FILE);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe(`${key}\n`);
    expect(await signingKeys(config)).toEqual([key]);
    expect(await signingKeys({ DATA_DIR: await aFolder(), WEBHOOK_SIGNING_KEYS: [] })).not.toEqual([key]);
  });

  it('is not made when keys are configured', async () => {
    const DATA_DIR = await aFolder();
    expect(await signingKeys({ DATA_DIR, WEBHOOK_SIGNING_KEYS: [String(NEW_KEY)] })).toEqual([NEW_KEY]);
    await expect(stat(join(DATA_DIR, SIGNING_KEY_FILE))).rejects.toThrow('ENOENT');
  });

  it('is never replaced when it cannot be read or used', async () => {
    const DATA_DIR = await aFolder();
    const file = join(DATA_DIR, SIGNING_KEY_FILE);
    await writeFile(file, 'short');
    const config = { DATA_DIR, WEBHOOK_SIGNING_KEYS: [] };
    await expect(signingKeys(config)).rejects.toThrow(`DATA_DIR: ${file} contains no signing key`);
    expect(await readFile(file, 'utf8')).toBe('short');
    const other = await aFolder();
    await mkdir(join(other, SIGNING_KEY_FILE));
    await expect(signingKeys({ ...config, DATA_DIR: other })).rejects.toThrow('cannot be used: EISDIR');
  });
});
