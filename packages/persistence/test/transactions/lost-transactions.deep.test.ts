import type { InjectedFault } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proxiedDatabase } from '../fault-injection/proxied-database.ts';
import { EVERYTHING, errorOf, HOST_TRANSACTIONS, NOTHING, openHost, prepare, storedOf } from './faulty-transactions.ts';
import { createPickUps } from './host-tables.ts';

const FAULTS = ['cut_before', 'terminated', 'response_lost'] as const;
/** Two pools have a thousand together. */
const LOSSES = 500;
const OWN = HOST_TRANSACTIONS.filter(({ isOwn }) => isOwn);
/** The number of statements of the shorter transaction, with those that begin and end it. */
const STEPS = 13;

const { proxy, url, session, direct } = await proxiedDatabase();
await createPickUps(url);

describe.each([2, 10])('a pool of %i connections', (poolMax) => {
  it(`is whole after ${LOSSES} losses inside transactions`, async () => {
    const host = await openHost(proxy, poolMax);
    const { database, orm } = host;
    onTestFinished(async () => {
      await database.close();
      await orm.close();
    });
    proxy.clear();
    const owners: string[] = [];
    const armed: InjectedFault[] = [];
    let lost = 0;
    const loseNext = async (): Promise<void> => {
      while (lost < LOSSES) {
        const number = (lost += 1);
        const { owner, id } = await prepare(direct);
        owners.push(owner);
        // The statements of concurrent transactions count too, so that any step of any of them is hit.
        armed.push(proxy.fault(1 + (number % STEPS), FAULTS[number % FAULTS.length] ?? 'cut_before'));
        const transaction = OWN[number % OWN.length];
        if (transaction) await errorOf(transaction.run(host, owner, id));
      }
    };
    // More transactions than the smaller pool has connections.
    await Promise.all([loseNext(), loseNext(), loseNext()]);
    // The last faults wait for statements that no transaction sends any more.
    expect(armed.filter(({ statement }) => statement).length).toBeGreaterThan(LOSSES - STEPS);
    const outcomes = new Set<string>();
    for (const owner of owners) outcomes.add(JSON.stringify(await storedOf(session, owner)));
    expect([...outcomes].toSorted()).toEqual([EVERYTHING, NOTHING].map((kept) => JSON.stringify(kept)).toSorted());

    proxy.clear();
    const { pool } = database.primary;
    expect(pool.totalCount).toBeLessThanOrEqual(poolMax);
    expect(pool).toMatchObject({ idleCount: pool.totalCount, waitingCount: 0 });
    expect(database.primary.waiting).toBe(0);
    // An idle connection whose loss is still unknown fails once.
    for (let count = 0; count < poolMax; count += 1) await errorOf(database.ping());
    const all = await Promise.all(
      Array.from({ length: poolMax * 5 }, () =>
        database.transaction(({ client }) => client.query('select 1').then(ok)),
      ),
    );
    expect(all.filter((result) => result.isErr())).toEqual([]);
  }, 600_000);
});
