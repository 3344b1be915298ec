import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { proxiedDatabase } from '../fault-injection/proxied-database.ts';
import {
  errorOf,
  EVERYTHING,
  failureIn,
  type Host,
  HOST_TRANSACTIONS,
  NOTHING,
  openHost,
  prepare,
  storedOf,
} from './faulty-transactions.ts';
import { createPickUps } from './host-tables.ts';

const FAULTS = [
  { fault: 'cut_before', effect: 'is cut before a statement reaches PostgreSQL' },
  { fault: 'killed', effect: 'is ended by an administrator' },
  { fault: 'response_lost', effect: 'is cut before a response arrives' },
] as const;
/** MikroORM would wait for ever for the end of the connection, which arrives later. */
const OWN_FAULTS = [...FAULTS, { fault: 'terminated', effect: 'is about to end' }] as const;

const { proxy, url, session, direct } = await proxiedDatabase();
await createPickUps(url);

const hosts: Host[] = [];
async function open(): Promise<Host> {
  const host = await openHost(proxy);
  hosts.push(host);
  return host;
}
async function close(): Promise<void> {
  for (const { database, orm } of hosts.splice(0)) {
    await database.close();
    // MikroORM 7.2.1 keeps a connection that was lost in a transaction of its own, and its pool waits for it.
    await Promise.race([orm.close(), sleep(100)]);
  }
}
afterEach(close);
afterAll(close);

for (const { name, isOwn, run } of HOST_TRANSACTIONS) {
  const prepared = await prepare(direct);
  const first = await open();
  proxy.clear();
  await run(first, prepared.owner, prepared.id);
  const steps = proxy.statements.map(({ text }, index) => ({
    number: index + 1,
    text,
    step: `${index + 1} (${text.trim().replaceAll(/\s+/g, ' ').slice(0, 40)})`,
  }));
  await close();

  describe(`${name}, whose connection`, () => {
    it('stores everything without a fault', async () => {
      expect(await storedOf(session, prepared.owner)).toEqual(EVERYTHING);
      expect(steps.at(0)?.text).toMatch(/^begin/);
      expect(steps.at(-1)?.text).toMatch(/commit$/);
      expect(steps.filter(({ text }) => /order_(?:insert|update)_/.test(text))).toHaveLength(2);
    });

    for (const { number, text, step } of steps) {
      it.each(isOwn ? OWN_FAULTS : FAULTS)(
        `$effect at step ${step}, is stored as a whole or not at all`,
        async ({ fault }) => {
          const { owner, id } = await prepare(direct);
          const host = await open();
          proxy.clear();
          const armed = proxy.fault(number, fault);
          const error = await errorOf(run(host, owner, id));
          // MikroORM writes values into the text.
          expect(armed.statement?.text.slice(0, 40)).toBe(text.slice(0, 40));
          expect(error).not.toBeNull();
          const isCommit = text.endsWith('commit');
          const stored = await storedOf(session, owner);
          expect(stored).toEqual(isCommit && fault === 'response_lost' ? EVERYTHING : NOTHING);
          const allowed = isCommit
            ? { outcome: 'unknown', retryable: false }
            : { outcome: 'rolled_back', retryable: true };
          // The host of a joined transaction may also meet the error of a statement of its own.
          const failures = [failureIn(error)].filter((failure) => isOwn || failure !== null);
          expect(failures).toEqual(failures.map((): unknown => expect.objectContaining(allowed)));
          expect(host.database.primary.pool).toMatchObject({ waitingCount: 0 });
          expect(host.database.primary.pool.idleCount).toBe(host.database.primary.pool.totalCount);
          // A host that does not retry what MikroORM has lost uses a new one.
          const later = isOwn ? host : await open();
          await run(later, owner, id);
          expect(await storedOf(session, owner)).toEqual(EVERYTHING);
        },
      );
    }
  });
}
