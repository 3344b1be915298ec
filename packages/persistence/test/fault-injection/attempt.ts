import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Domain, Owner } from '@orders/domain';
import type { Armed, Fault } from '@orders/postgres-proxy';
import { expect } from 'vitest';
import { execute } from '../execute.ts';
import type { KeyedWrite, Outcome } from './keyed-writes.ts';
import type { ProxiedDatabase } from './proxied-database.ts';

const KEY = 'the key';

/** A write on something of its own, of an owner of its own. */
export interface Attempt {
  /** The fault, armed for the write's next run. */
  readonly armed: Armed | undefined;
  /** Does the write, with its key unless told otherwise. */
  readonly run: (options?: { readonly keyed: boolean }) => ReturnType<KeyedWrite['write']>;
  /** What the owner has by now, the keys that are recorded among it. */
  readonly effects: () => Promise<unknown>;
  /** What the owner had before the write. */
  readonly untouched: unknown;
}

/** Makes what the write is about and arms `fault` for step number `step` of it. */
export async function attempt(
  { proxy, url, direct }: ProxiedDatabase,
  domain: Domain,
  write: KeyedWrite,
  fault?: { readonly step: number; readonly fault: Fault },
): Promise<Attempt> {
  const owner = randomUUID();
  const id = await write.prepare(direct, owner);
  const { met } = write;
  proxy.clear();
  // Between what is read first and what is written next.
  if (met) proxy.fault(2, async () => void (await met.act(direct, owner, id)));
  return {
    armed: fault && proxy.fault(fault.step, fault.fault),
    run: ({ keyed } = { keyed: true }) => write.write(domain, owner, id, keyed ? { idempotencyKey: KEY } : {}),
    effects: () => effectsOf(url, owner),
    untouched: await effectsOf(url, owner),
  };
}

async function effectsOf(url: string, owner: Owner): Promise<unknown> {
  const [row] = await execute(
    url,
    `select
       (select coalesce(json_agg(version), '[]') from (
          select version from orders where owner_id = '${owner}'
          union all select version from customers where owner_id = '${owner}') as kept) as versions,
       (select coalesce(json_agg(type || ' ' || version order by type, version), '[]')
          from outbox where owner_id = '${owner}') as events,
       (select coalesce(json_agg(key), '[]') from once where owner_id = '${owner}') as keys`,
  );
  return row;
}

/** Does the write again with its key, as a client does that was told to come back, and sees that it happened once. */
export async function happensOnce(
  { run, effects, untouched }: Attempt,
  write: KeyedWrite,
  undisturbed: Outcome,
): Promise<void> {
  const once = { ...write.leaves, keys: [KEY] };
  const before = await effects();
  // All of it has happened or nothing, whether or not the other write that it meets has.
  const met = write.met ? { ...write.met.leaves, keys: [] } : untouched;
  expect([once, untouched, met]).toContainEqual(before);
  const done = isDeepStrictEqual(before, once);
  let answer = await run();
  // A connection that was lost while nobody used it is found out by the next who does.
  for (let again = 1; again < 3 && answer.isErr() && answer.error.type === 'unavailable'; again += 1) {
    answer = await run();
  }
  const outcome = answer._unsafeUnwrap();
  expect(outcome.replayed).toBe(done);
  expect(withoutIds(outcome)).toEqual(withoutIds(undisturbed));
  expect(await effects()).toEqual(once);
  const repeated = (await run())._unsafeUnwrap();
  expect(repeated).toEqual({ ...outcome, event: null, replayed: true });
  expect(await effects()).toEqual(once);
}

/** What is answered of the aggregate, whose ids are new with each that is made. */
function withoutIds({ order, customer }: Outcome): unknown {
  const isUuid = (value: unknown) => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);
  const text = JSON.stringify({ order, customer }, (_, value: unknown) => (isUuid(value) ? 'an id' : value));
  return JSON.parse(text);
}
