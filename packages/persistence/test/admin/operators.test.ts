import { randomUUID } from 'node:crypto';
import type { Page, Position } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { postgresAudit, postgresOperators, purge } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const BY = { actor: 'command:ada', reason: null };
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
const token = (from: number, lifetime: number) => ({
  id: randomUUID(),
  tokenHash: randomUUID(),
  created_at: at(from),
  expires_at: at(from + lifetime),
});

/** Creates an operator with a link of 15 minutes. */
async function anOperator() {
  const operators = postgresOperators(database.current);
  const [operator, link] = [{ id: randomUUID(), name: 'Ada', role: 'support' as const }, token(0, 15)];
  (await operators.create(operator, link, BY))._unsafeUnwrap();
  return { operators, operator, link };
}

/** Signs an operator in for eight hours. */
async function signedIn() {
  const { link, ...created } = await anOperator();
  const session = token(1, 480);
  (await created.operators.signIn(link.tokenHash, session))._unsafeUnwrap();
  const use = async (minute: number) =>
    (await created.operators.useSession(session.tokenHash, at(minute), at(minute - 60)))._unsafeUnwrap();
  return { ...created, session, use };
}

describe('a link to sign in', () => {
  it('works once, also when two use it at the same time', async () => {
    const { operators, operator, link } = await anOperator();
    const both = await Promise.all([1, 2].map(() => operators.signIn(link.tokenHash, token(1, 480))));
    const found = both.map((each) => each._unsafeUnwrap());
    expect(found.filter((each) => each !== null)).toEqual([{ ...operator, expires_at: at(481) }]);
    expect((await operators.signIn(link.tokenHash, token(2, 480)))._unsafeUnwrap()).toBeNull();
  });

  it('works for a quarter of an hour, for no revoked operator, and is no session', async () => {
    const late = await anOperator();
    expect((await late.operators.signIn(late.link.tokenHash, token(15, 480)))._unsafeUnwrap()).toBeNull();
    const { operators, operator, link } = await anOperator();
    expect((await operators.useSession(link.tokenHash, at(1), at(0)))._unsafeUnwrap()).toBeNull();
    (await operators.revoke(operator.id, at(1), BY))._unsafeUnwrap();
    expect((await operators.signIn(link.tokenHash, token(2, 480)))._unsafeUnwrap()).toBeNull();
  });
});

it('an operator gets another link, unless revoked', async () => {
  const { operators, operator } = await signedIn();
  const link = token(500, 15);
  expect((await operators.link(operator.id, link, BY))._unsafeUnwrap()).toBe(true);
  expect((await operators.signIn(link.tokenHash, token(501, 480)))._unsafeUnwrap()).toMatchObject(operator);
  (await operators.revoke(operator.id, at(502), BY))._unsafeUnwrap();
  expect((await operators.link(operator.id, token(503, 15), BY))._unsafeUnwrap()).toBe(false);
  expect(
    (await postgresAudit(database.current).list({ owner: null, before: null, limit: 100 }))._unsafeUnwrap().records,
  ).toContainEqual(expect.objectContaining({ ...BY, action: 'link_operator', subject: operator.id }));
});

it('the purge removes expired tokens, and keeps when an operator was last seen', async () => {
  const { operators, operator } = await signedIn();
  const [link, session] = [token(100, 15), token(101, 480)];
  (await operators.link(operator.id, link, BY))._unsafeUnwrap();
  (await operators.signIn(link.tokenHash, session))._unsafeUnwrap();
  const left = async (now: string) => {
    await purge(database.current)({ now, eventsBefore: at(0) });
    const text = `select token_hash from operator_tokens where operator_id = '${operator.id}'`;
    return (await execute(database.url, text)).map(({ token_hash }) => token_hash);
  };
  expect(await left(at(580))).toEqual([session.tokenHash]);
  expect(await left(at(581))).toEqual([session.tokenHash]);
  const { data } = (await operators.list({ at: at(600), limit: 100 }))._unsafeUnwrap();
  const listed = data.find(({ id }) => id === operator.id);
  expect(listed).toMatchObject({ last_used_at: at(101), sessions: 0 });
});

describe('a session', () => {
  it('ends by its time, an hour without use, the sign-out, and the revocation of its operator', async () => {
    const used = await signedIn();
    expect(await used.use(60)).toMatchObject(used.operator);
    expect(await used.use(119)).toMatchObject(used.operator);
    expect(await used.use(179)).toBeNull();

    const old = await signedIn();
    for (let minute = 50; minute < 481; minute += 50) expect(await old.use(minute)).not.toBeNull();
    expect(await old.use(481)).toBeNull();

    const ended = await signedIn();
    expect((await ended.operators.signOut(ended.session.tokenHash, at(2)))._unsafeUnwrap()).toBe(true);
    expect(await ended.use(3)).toBeNull();

    const revoked = await signedIn();
    expect((await revoked.operators.revoke(revoked.operator.id, at(2), BY))._unsafeUnwrap()).toBe(true);
    expect(await revoked.use(3)).toBeNull();
    const { data: listed } = (await revoked.operators.list({ at: at(3), limit: 100 }))._unsafeUnwrap();
    const mine = listed.find(({ id }) => id === revoked.operator.id);
    expect(mine).toMatchObject({ revoked_at: at(2), last_used_at: at(1), sessions: 0 });
    expect(listed.find(({ id }) => id === used.operator.id)).toMatchObject({ last_used_at: at(119), sessions: 1 });
  });
});

/** Returns the ids on all pages of a list, of two each. */
async function idsOf(
  read: (after: Position<string> | null) => ResultAsync<Page<{ readonly id: string }, string>, unknown>,
  after: Position<string> | null = null,
): Promise<readonly string[]> {
  const { data, next } = (await read(after))._unsafeUnwrap();
  const ids = data.map(({ id }) => id);
  return next === null ? ids : [...ids, ...(await idsOf(read, next))];
}

it('operators and their sessions are listed by pages, which together have each once', async () => {
  const { operators, operator } = await signedIn();
  for (let count = 0; count < 3; count += 1) {
    const link = token(2, 15);
    (await operators.link(operator.id, link, BY))._unsafeUnwrap();
    (await operators.signIn(link.tokenHash, token(3, 480)))._unsafeUnwrap();
    (await operators.create({ ...operator, id: randomUUID() }, token(0, 15), BY))._unsafeUnwrap();
  }
  // Those of one millisecond are in the order of their ids.
  const all = await execute(database.url, 'select id from operators order by created_at, id');
  const listed = await idsOf((after) => operators.list({ at: at(4), after, limit: 2 }));
  expect(listed).toEqual(all.map(({ id }) => id));
  const open = await execute(
    database.url,
    `select id from operator_tokens where operator_id = '${operator.id}' and kind = 'session'
      order by created_at desc, id desc`,
  );
  const page = { at: at(4), idleSince: at(0), limit: 2 };
  const sessions = await idsOf((after) => operators.sessions(operator.id, { ...page, after }));
  expect(sessions).toEqual(open.map(({ id }) => id));
});

describe('the audit', () => {
  it('has every change of operators and every sign-in, each once, the newest first', async () => {
    const { operators, operator } = await signedIn();
    const { id: subject } = operator;
    for (let time = 0; time < 2; time += 1) await operators.revoke(subject, at(2), { ...BY, reason: 'left' });
    const log = postgresAudit(database.current);
    const { records: all } = (await log.list({ owner: null, before: null, limit: 100 }))._unsafeUnwrap();
    const recorded = all.filter((each) => each.subject === subject);
    expect(recorded).toHaveLength(3);
    expect(Object.fromEntries(recorded.map(({ action, actor, reason }) => [action, [actor, reason]]))).toEqual({
      create_operator: ['command:ada', BY.reason],
      revoke_operator: ['command:ada', 'left'],
      sign_in: [`operator:${subject}`, null],
    });
  });

  it('is listed of one owner, or of all and without an owner, by pages', async () => {
    const log = postgresAudit(database.current);
    const [one, other] = [randomUUID(), randomUUID()];
    const entry = { actor: 'operator:1', action: 'get_order', subject: randomUUID(), reason: null };
    for (const owner of [one, null, other, one]) (await log.record({ owner, ...entry }))._unsafeUnwrap();
    const list = async (owner: string | null, limit: number, before: string | null = null) =>
      (await log.list({ owner, limit, before }))._unsafeUnwrap().records;
    expect((await list(one, 10)).map(({ owner }) => owner)).toEqual([one, one]);
    const all = (await list(null, 100)).filter(({ subject }) => subject === entry.subject);
    expect(all.map(({ owner }) => String(owner)).toSorted()).toEqual([one, one, other, 'null'].toSorted());
    // Those of one millisecond have any order.
    expect(all).toEqual(all.toSorted((left, right) => (left.id < right.id ? 1 : -1)));
    for (const [place, next] of all.slice(1).entries()) expect(await list(null, 1, all[place]?.id)).toEqual([next]);
  });
});
