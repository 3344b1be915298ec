import { postgresApiKeys, postgresClientCertificates } from '@orders/persistence';
import { beforeEach, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';

const database = testDatabase();
const GRANT = { owner: 'shop', scopes: ['orders:read'], created_at: '2026-02-01T00:00:00.000Z', identity: 'urn:shop' };

beforeEach(() => execute(database.url, 'truncate api_keys, client_certificates'));

/** Opens the credential repositories of a server with one connection. All operations share one path to the database. */
async function open(settings: { readonly connectTimeoutMs?: number; readonly statementTimeoutMs?: number } = {}) {
  const { proxy, server } = await watchedServer(database.url, { poolMax: 1, ...settings });
  const keys = postgresApiKeys(server);
  const certificates = postgresClientCertificates(server);
  return { proxy, server, find: () => keys.find('no such key'), allow: () => certificates.allow(GRANT) };
}

describe('an operation on credentials', () => {
  it('returns unavailable when all connections of the share are in use', async () => {
    const { server, find } = await open({ connectTimeoutMs: 100 });
    await server.primary.transaction(async () => {
      const waited = { type: 'unavailable', cause: { code: 'NO_CONNECTION' } };
      expect((await find())._unsafeUnwrapErr()).toMatchObject(waited);
    });
    expect((await find())._unsafeUnwrap()).toBeNull();
  });

  it.each([
    ['cut_before', {}],
    ['terminated', {}],
    ['response_lost', {}],
    ['response_swallowed', { message: 'Query read timeout' }],
  ] as const)(
    'returns unavailable when its connection is %s, and gets the next connection at once',
    async (fault, cause) => {
      const { proxy, find, allow } = await open({ statementTimeoutMs: 2000 });
      for (const run of [find, allow]) {
        const armed = proxy.fault(1, fault);
        expect((await run())._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause });
        expect(armed.statement).toBeDefined();
        expect((await find())._unsafeUnwrap()).toBeNull();
      }
    },
  );
});

describe('a database that becomes read-only', () => {
  it('is unavailable for writes, and has its connections replaced', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await execute(database.url, `alter database "${name}" set default_transaction_read_only = on`);
    const { allow } = await open();
    const refused = { type: 'unavailable', cause: { code: '25006' } };
    expect((await allow())._unsafeUnwrapErr()).toMatchObject(refused);
    await execute(
      database.url,
      `set transaction read write; alter database "${name}" reset default_transaction_read_only`,
    );
    expect((await allow())._unsafeUnwrap()).toBe(true);
  });
});
