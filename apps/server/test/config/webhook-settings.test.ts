import files, { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DENY_CIDRS_DEFAULT, isSigningKey } from '@orders/webhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Given, readConfig } from '../../src/config/config.ts';
import { hasWebhooks, SIGNING_KEY_FILE, signingKeys } from '../../src/config/webhook-settings.ts';
import { aFolder } from '../programs/running-server.ts';

const [OLD_KEY, NEW_KEY] = ['old', 'new'].map((text) => Buffer.alloc(32, text).toString('base64'));
const DATABASE_URL = 'postgresql://db/orders';

describe('webhooks', () => {
  it.each<[boolean, Given]>([
    [true, {}],
    [true, { WEBHOOKS: 'api' }],
    [false, { WEBHOOKS: 'off' }],
    [false, { DATABASE_URL }],
    [true, { DATABASE_URL, WEBHOOK_SIGNING_KEYS: OLD_KEY }],
    [false, { DATABASE_URL, WEBHOOK_SIGNING_KEYS: OLD_KEY, WEBHOOKS: 'off' }],
  ])('are on: %s, with %j', (isOn, environment) => {
    expect(hasWebhooks(readConfig(environment))).toBe(isOn);
  });

  it('have lists of keys and addresses', () => {
    const lists = { WEBHOOK_SIGNING_KEYS: `${NEW_KEY}, ${OLD_KEY}`, WEBHOOK_DENY_CIDRS: '10.0.0.0/8,::1' };
    expect(readConfig(lists)).toMatchObject({
      WEBHOOK_SIGNING_KEYS: [NEW_KEY, OLD_KEY],
      WEBHOOK_DENY_CIDRS: ['10.0.0.0/8', '::1'],
    });
    expect(readConfig({}).WEBHOOK_DENY_CIDRS).toEqual(DENY_CIDRS_DEFAULT);
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

  it('is on the disk before it is used, with its name', async () => {
    const DATA_DIR = await aFolder();
    const file = join(DATA_DIR, SIGNING_KEY_FILE);
    const steps = recordedSteps();
    await signingKeys({ DATA_DIR, WEBHOOK_SIGNING_KEYS: [] });
    expect(steps).toEqual([`sync ${file}.new`, `rename ${file}`, `sync ${DATA_DIR}`]);
    expect(await readdir(DATA_DIR)).toEqual([SIGNING_KEY_FILE]);
  });
});

/**
 * Returns what reaches the disk, in order: the files that are synced, and the renames. The files are real. A crash of the
 * machine cannot be: only the order of the calls shows what it would leave.
 */
function recordedSteps(): readonly string[] {
  const steps: string[] = [];
  const { open, rename } = files;
  vi.spyOn(files, 'open').mockImplementation(async (...parameters) => {
    const file = await open(...parameters);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      await sync();
      steps.push(`sync ${String(parameters[0])}`);
    };
    return file;
  });
  vi.spyOn(files, 'rename').mockImplementation(async (...parameters) => {
    await rename(...parameters);
    steps.push(`rename ${String(parameters[1])}`);
  });
  // Imports of single functions follow those of the object.
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  return steps;
}
