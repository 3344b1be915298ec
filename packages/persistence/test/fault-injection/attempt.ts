import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Domain, Owner } from '@orders/domain';
import type { InjectedFault, Fault } from '@orders/postgres-proxy';
import type { Client } from 'pg';
import { expect } from 'vitest';
import type { KeyedWrite, Outcome } from './keyed-writes.ts';
import type { ProxiedDatabase } from './proxied-database.ts';

const KEY = 'the-key';

/** A write to an aggregate of an owner of its own. */
export interface Attempt {
  /** The fault, armed for the next run of the write. */
  readonly armed: InjectedFault | undefined;
  /** Performs the write, by default with its key. */
  readonly run: (options?: { readonly keyed: boolean }) => ReturnType<KeyedWrite['write']>;
  /** Returns the owner's current versions, events and keys. */
  readonly effects: () => Promise<unknown>;
  /** The versions, events and keys of the owner before the write. */
  readonly untouched: unknown;
}

/** Creates the aggregate of the write and arms `fault` for step number `step`. */
export async function attempt(
  { proxy, session, direct }: ProxiedDatabase,
  domain: Domain,
  write: KeyedWrite,
  fault?: { readonly step: number; readonly fault: Fault },
): Promise<Attempt> {
  const owner = randomUUID();
  const id = await write.prepare(direct, owner);
  const { competing } = write;
  proxy.clear();
  // The competing write runs between the first read and the next write.
  if (competing) proxy.fault(2, async () => void (await competing.act(direct, owner, id)));
  return {
    armed: fault && proxy.fault(fault.step, fault.fault),
    run: ({ keyed } = { keyed: true }) => write.write(domain, owner, id, keyed ? { idempotencyKey: KEY } : {}),
    effects: () => effectsOf(session, owner),
    untouched: await effectsOf(session, owner),
  };
}

async function effectsOf(session: Client, owner: Owner): Promise<unknown> {
  const { rows } = await session.query(
    `select
       (select coalesce(json_agg(version), '[]') from (
          select version from orders where owner_id = '${owner}'
          union all select version from customers where owner_id = '${owner}') as kept) as versions,
       (select coalesce(json_agg(type || ' ' || version order by type, version), '[]')
          from changes where owner_id = '${owner}') as events,
       (select coalesce(json_agg(key), '[]') from idempotency where owner_id = '${owner}') as keys`,
  );
  return rows[0];
}

/** How often a client sends a write that is unavailable. */
const ATTEMPTS_MAX = 10;

/**
 * Repeats a write that is unavailable: the loss of an idle connection is detected at its next use, and on a busy machine a
 * short time limit may be exceeded.
 */
async function runAgain(run: Attempt['run']): Promise<Awaited<ReturnType<Attempt['run']>>> {
  let result = await run();
  for (
    let attempts = 1;
    attempts < ATTEMPTS_MAX && result.isErr() && result.error.type === 'unavailable';
    attempts += 1
  )
    result = await run();
  return result;
}

/** Retries the write with its key, as a client does after 503, and checks that it happened once. */
export async function expectOneEffect(
  { run, effects, untouched }: Attempt,
  write: KeyedWrite,
  expected: Outcome,
): Promise<void> {
  const once = { ...write.leaves, keys: [KEY] };
  const before = await effects();
  // Checks that the write happened completely or not at all, with or without the competing write.
  const competing = write.competing ? { ...write.competing.leaves, keys: [] } : untouched;
  expect([once, untouched, competing]).toContainEqual(before);
  const done = isDeepStrictEqual(before, once);
  const outcome = (await runAgain(run))._unsafeUnwrap();
  // What the database was still doing for a connection without responses may have been done since.
  if (done) expect(outcome.replayed).toBe(true);
  expect(withoutIds(outcome)).toEqual(withoutIds(expected));
  expect(await effects()).toEqual(once);
  const repeated = (await runAgain(run))._unsafeUnwrap();
  expect(repeated).toEqual({ ...outcome, event: null, replayed: true });
  expect(await effects()).toEqual(once);
}

/** Returns the aggregate of a result without its ids, which differ between runs. */
function withoutIds({ order, customer }: Outcome): unknown {
  const isUuid = (value: unknown) => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);
  const text = JSON.stringify({ order, customer }, (_, value: unknown) => (isUuid(value) ? 'an id' : value));
  return JSON.parse(text);
}
