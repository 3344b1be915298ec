import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  postgresApiKeys,
  postgresClientCertificates,
} from '@orders/persistence';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const AT = '2026-02-01T00:00:00.000Z';
const GRANT = { owner: 'shop', scopes: ['orders:read'], created_at: AT };

/** A read and a write. All operations on credentials share one path to the database. */
const OPERATIONS = [
  { name: 'finding an API key', run: ({ keys }: Stores) => keys.find('no such key'), result: null },
  {
    name: 'allowing a certificate',
    run: ({ certificates }: Stores) => certificates.allow({ ...GRANT, identity: 'urn:shop' }),
    result: true,
  },
];

type Stores = ReturnType<typeof open>;

const opened: Database[] = [];
let proxy: PostgresProxy;

/** Opens the credential repositories of a server with one connection. */
function open(options: Partial<DatabaseOptions> = {}) {
  const other = openDatabase({ url: proxy.url, poolMax: 1, ...options });
  opened.push(other);
  return { database: other, keys: postgresApiKeys(other), certificates: postgresClientCertificates(other) };
}

beforeAll(async () => {
  proxy = await startPostgresProxy(database.url);
});

beforeEach(() => execute(database.url, 'truncate api_keys, client_certificates'));

afterEach(async () => {
  for (const other of opened.splice(0)) await other.close();
});

afterAll(async () => {
  await proxy.close();
});

describe.each(OPERATIONS)('$name', ({ run, result }) => {
  it('returns unavailable when all connections of the share are in use', async () => {
    const stores = open({ connectTimeoutMs: 100 });
    // From here on the connection exists, and only the wait for it takes time.
    await vi.waitFor(() => stores.database.ping());
    await stores.database.primary.transaction(async () => {
      const waited = { type: 'unavailable', cause: { code: 'NO_CONNECTION' } };
      expect((await run(stores))._unsafeUnwrapErr()).toMatchObject(waited);
    });
    expect((await run(stores))._unsafeUnwrap()).toEqual(result);
  });

  it.each(['cut_before', 'terminated', 'response_lost', 'response_swallowed'] as const)(
    'returns unavailable when its connection is %s, and gets the next connection at once',
    async (fault) => {
      const stores = open({ statementTimeoutMs: 2000 });
      await vi.waitFor(() => stores.database.ping());
      proxy.clear();
      const armed = proxy.fault(1, fault);
      expect((await run(stores))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
      expect(armed.statement).toBeDefined();
      expect((await stores.keys.find('no such key'))._unsafeUnwrap()).toBeNull();
    },
  );
});

describe('a database that becomes read-only', () => {
  it('is unavailable for writes, and has its connections replaced', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await execute(database.url, `alter database "${name}" set default_transaction_read_only = on`);
    const { certificates } = open();
    const refused = { type: 'unavailable', cause: { code: '25006' } };
    const allow = () => certificates.allow({ ...GRANT, identity: 'urn:shop' });
    expect((await allow())._unsafeUnwrapErr()).toMatchObject(refused);
    await execute(
      database.url,
      `set transaction read write; alter database "${name}" reset default_transaction_read_only`,
    );
    expect((await allow())._unsafeUnwrap()).toBe(true);
  });
});
