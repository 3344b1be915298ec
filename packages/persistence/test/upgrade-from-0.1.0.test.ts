import { readFileSync } from 'node:fs';
import { createDomain, untyped } from '@orders/domain';
import { sequentialIds } from '@orders/domain/testing';
import { openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../src/migrate.ts';
import { MIGRATIONS } from '../src/migration/migrations-list.ts';
import { emptyDatabase } from './empty-database.ts';
import { execute } from './execute.ts';

interface Command {
  readonly useCase:
    | 'placeOrder'
    | 'changeOrder'
    | 'cancelOrder'
    | 'deleteOrder'
    | 'createCustomer'
    | 'changeCustomer'
    | 'deleteCustomer';
  readonly owner: string;
  readonly args: readonly [string, unknown?];
  readonly key: string;
  /** The JSON text that release 0.1.0 returned for a retry. */
  readonly replay: string;
}

interface Resource {
  readonly owner: string;
  readonly id: string;
  readonly version: number;
  /** The JSON text that release 0.1.0 returned. */
  readonly text: string;
}

/** What release 0.1.0 stored for commands of every kind, and what it then returned. Its keys expire after a century. */
interface Release {
  readonly inserts: readonly string[];
  readonly commands: readonly Command[];
  /** A command whose key has expired. */
  readonly expired: Omit<Command, 'replay'>;
  readonly orders: readonly Resource[];
  readonly customers: readonly Resource[];
  readonly events: readonly { readonly type: string; readonly version: number }[];
}

// Parsed here, because an import would make an object literal of it, in which `__proto__` has another meaning.
const file = readFileSync(new URL('release-0.1.0.json', import.meta.url), 'utf8');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a recording, whose format does not change
const RELEASE = JSON.parse(file) as Release;

/** The order whose events were purged before its keys, and the id of a customer that does not exist. */
const PURGED = '019a7000-0000-7000-8000-000000000077';
const ERASED = '019a7000-0000-7000-8000-eeeeeeeeeeee';

/** Returns a database of release 0.1.0 that was migrated to this release, in sessions of an unusual time zone. */
async function upgraded(further: readonly string[] = []) {
  const url = await emptyDatabase();
  const zone = `alter database ${new URL(url).pathname.slice(1)} set timezone to 'Asia/Kolkata'`;
  await execute(url, zone);
  const database = openDatabase({ url, poolMax: 2 });
  onTestFinished(() => database.close());
  await database.withoutTimeLimits((own) =>
    migrate(
      own,
      {},
      MIGRATIONS.filter(({ name }) => name < '0003'),
    ),
  );
  for (const insert of [...RELEASE.inserts, ...further]) await execute(url, insert);
  await database.migrate();
  const orders = postgresOrderRepository(database);
  const customers = postgresCustomerRepository(database);
  const domain = createDomain({ orders, customers, clock: { now: () => new Date() }, ids: sequentialIds() });
  return { url, database, domain: untyped(domain) };
}

type Upgraded = Awaited<ReturnType<typeof upgraded>>;

async function outcomeOf(
  { domain }: Upgraded,
  { useCase, owner, args: [first, second], key }: Omit<Command, 'replay'>,
) {
  const options = { idempotencyKey: key };
  switch (useCase) {
    case 'placeOrder':
    case 'createCustomer':
      return await domain[useCase](owner, first, options);
    case 'deleteOrder':
    case 'deleteCustomer':
      return await domain[useCase](owner, first, options);
    case 'cancelOrder':
    case 'changeOrder':
    case 'changeCustomer':
      return await domain[useCase](owner, first, second, options);
  }
}

describe('a database of release 0.1.0', () => {
  it('replays every key as 0.1.0 did, and stores nothing', async () => {
    const upgrade = await upgraded();
    const count = () => execute(upgrade.url, 'select count(*) from changes');
    const before = await count();
    for (const command of RELEASE.commands) {
      const outcome = await outcomeOf(upgrade, command);
      const replay = JSON.stringify(outcome.isOk() ? outcome.value : outcome.error);
      expect({ ...command, replay }).toEqual(command);
    }
    expect(await count()).toEqual(before);
  });

  it('does not replay an expired key', async () => {
    const outcome = await outcomeOf(await upgraded(), RELEASE.expired);
    expect(outcome._unsafeUnwrap()).toMatchObject({ replayed: false });
  });

  it('returns every order and customer as 0.1.0 did, and the same for their current versions', async () => {
    const { url, domain } = await upgraded();
    for (const { owner, id, version, text } of RELEASE.orders) {
      expect(JSON.stringify((await domain.getOrder(owner, id))._unsafeUnwrap())).toBe(text);
      const current = (await domain.getOrderVersion(owner, id, version))._unsafeUnwrap();
      expect(JSON.stringify(current.order)).toBe(text);
      const { data } = (await domain.listOrderVersions(owner, id))._unsafeUnwrap();
      expect(data[0]).toEqual(current);
    }
    for (const { owner, id, version, text } of RELEASE.customers) {
      expect(JSON.stringify((await domain.getCustomer(owner, id))._unsafeUnwrap())).toBe(text);
      const [current] = await execute(
        url,
        `select snapshot from changes where aggregate = 'customer' and aggregate_id = '${id}' and version = ${version}`,
      );
      expect(JSON.stringify(current?.['snapshot'])).toBe(text);
    }
  });

  it('keeps every event, and counts a deletion as a version', async () => {
    const { url } = await upgraded();
    const events = await execute(
      url,
      `select event_id as id, owner_id, type, aggregate_id, version, changed, occurred_at from changes
       where type is not null and aggregate_id <> '${PURGED}' order by occurred_at, event_id`,
    );
    const kept = RELEASE.events.map(({ version, ...event }) =>
      event.type.endsWith('.deleted') ? { ...event, version: version + 1 } : { ...event, version },
    );
    expect(JSON.parse(JSON.stringify(events))).toEqual(kept);
    const misplaced = `select 1 from changes where (type is null) <> (event_id is null)
      or split_part(type, '.', 1) <> aggregate`;
    expect(await execute(url, misplaced)).toEqual([]);
  });

  it('has a deletion for what is left of an aggregate whose events were purged', async () => {
    const { url } = await upgraded();
    const rows = `select version, type, snapshot is null as erased from changes where aggregate_id = '${PURGED}' order by version`;
    expect(await execute(url, rows)).toEqual([
      { version: 1, type: null, erased: false },
      { version: 2, type: null, erased: false },
      { version: 3, type: 'order.deleted', erased: true },
    ]);
  });

  it('has no version of a customer that was deleted while its key was recorded', async () => {
    const customer = { id: ERASED, email: 'leaked@example.com', version: 1, updated_at: '2025-10-01T00:00:00.000Z' };
    const { url } = await upgraded([
      `insert into once values ('shop', 'leak', 'f', '${ERASED}', '${JSON.stringify({ format: 1, aggregate: customer })}',
         '2025-10-01', '2125-10-01')`,
    ]);
    expect(await execute(url, `select 1 from changes where aggregate_id = '${ERASED}'`)).toEqual([]);
    const keys = await execute(url, `select aggregate, aggregate_id, version from idempotency where key = 'leak'`);
    expect(keys).toEqual([{ aggregate: 'customer', aggregate_id: ERASED, version: 1 }]);
  });
});
