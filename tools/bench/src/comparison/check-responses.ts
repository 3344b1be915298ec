import { randomUUIDv7 } from 'node:crypto';
import type { Client } from 'pg';
import { blanked, type ComparedResponse, difference, fetchResponse } from '../cases/compared-response.ts';
import { type Case, type ComparedCase, CASES, NEW_ORDER } from '../cases/cases.ts';
import { placeOrders } from '../load/place-orders.ts';
import type { Subject } from '../subject.ts';
import { WrongResponse } from '../wrong-response.ts';

/** What the checks read in the database. */
export interface Fixture {
  readonly client: Client;
  /** The owner whose orders are written. */
  readonly writer: string;
}

/**
 * Sends the same requests to a server and to Orders, and compares the responses member by member. Then reads the written
 * order, and checks the event and the idempotency record.
 *
 * @throws {WrongResponse} the responses differ
 */
export async function checkResponses(
  name: ComparedCase,
  orders: Subject,
  other: Subject,
  fixture: Fixture,
): Promise<void> {
  const [wanted, found] = [await CHECKS[name](orders, fixture), await CHECKS[name](other, fixture)];
  agree(`${other.title} responds to ${CASES[name].title} differently from Orders`, wanted, found);
}

type Check = (subject: Subject, fixture: Fixture) => Promise<unknown>;

const CHECKS: Readonly<Record<ComparedCase, Check>> = {
  get: async (subject) => blanked(await send('get', subject, subject.ids[0] ?? '')),
  list: async (subject) => blanked(await send('list', subject, '')),
  notModified: async (subject) => await send('notModified', subject, subject.ids[0] ?? ''),
  invalid: async (subject) => blanked(await send('invalid', subject, randomUUIDv7())),
  create: async (subject, fixture) =>
    (await written(subject, fixture, () => send('create', subject, randomUUIDv7()))).parts,
  replay: (subject, fixture) => replayed(subject, fixture, subject),
  replayElsewhere: (subject, fixture) => replayed(subject, fixture, { ...subject, server: subject.placer }),
  cancel: async (subject, fixture) => {
    const [id = ''] = await placeOrders(subject.placer.port, subject.keys.writer, 1);
    const cancelled = await written(subject, fixture, () => send('cancel', subject, id));
    const retry = await send('cancel', subject, id);
    const again = await send('cancelWithoutKey', subject, id);
    const repeats = difference(cancelled.body, retry.body);
    return { ...cancelled.parts, retry: blanked(retry), repeats, again: codeOf(again) };
  },
  cancelWithoutKey: async (subject, fixture) => {
    const [id = ''] = await placeOrders(subject.placer.port, subject.keys.writer, 1);
    return (await written(subject, fixture, () => send('cancelWithoutKey', subject, id))).parts;
  },
};

/**
 * Compares the responses to requests that the load does not send: with an invalid API key, for nonexistent orders, and
 * for orders of another owner.
 *
 * @throws {WrongResponse} the responses differ
 */
export async function checkRejections(orders: Subject, other: Subject): Promise<void> {
  const rejections = async ({ server: { port }, keys, ids: [id = ''] }: Subject) => {
    const [writer = ''] = keys.writer;
    return {
      unauthenticated: (await fetchResponse(port, 'invalid', CASES.get.request(id))).status,
      unknown: codeOf(await fetchResponse(port, writer, CASES.get.request(randomUUIDv7()))),
      foreign: codeOf(await fetchResponse(port, writer, CASES.get.request(id))),
      cancelUnknown: codeOf(await fetchResponse(port, writer, CASES.cancel.request(randomUUIDv7()))),
    };
  };
  agree(`${other.title} rejects requests differently from Orders`, await rejections(orders), await rejections(other));
}

function agree(summary: string, wanted: unknown, found: unknown): void {
  const differs = difference(wanted, found);
  if (differs !== undefined) throw new WrongResponse(`${summary}: ${differs}`);
}

/** Replays a create that `placer` has received. */
async function replayed(subject: Subject, fixture: Fixture, placer: Pick<Subject, 'server' | 'keys'>) {
  const key = randomUUIDv7();
  const first = await send('create', placer, key);
  const other = { ...CASES.create.request(key), body: NEW_ORDER.replace('"quantity":1', '"quantity":2') };
  const reused = codeOf(await fetchResponse(subject.server.port, subject.keys.writer[0] ?? '', other));
  const { parts, body } = await written(subject, fixture, () => send('create', subject, key));
  return { ...parts, reused, repeats: difference(first.body, body) };
}

async function send(
  name: ComparedCase,
  { server, keys }: Pick<Subject, 'server' | 'keys'>,
  target: string,
): Promise<ComparedResponse> {
  const { owner, request }: Case = CASES[name];
  return await fetchResponse(server.port, keys[owner][0] ?? '', request(target));
}

/** Sends a write, and returns what it stored beside the response: its event, numbers of rows, and the order as read. */
async function written(subject: Subject, { client, writer }: Fixture, write: () => Promise<ComparedResponse>) {
  const before = await countWrites(client);
  const response = await write();
  const after = await countWrites(client);
  const id = idOf(response);
  const read = await fetchResponse(subject.server.port, subject.keys.writer[0] ?? '', CASES.get.request(id));
  const parts = {
    response: blanked(response),
    stored: { events: after.events - before.events, records: after.records - before.records },
    readBack: difference(response.body, read.body),
    tag: difference(response.headers['etag'], read.headers['etag']),
    event: await eventOf(client, writer, id),
  };
  return { body: response.body, parts };
}

/** Returns the numbers of events and of idempotency records of all servers. */
async function countWrites(client: Client): Promise<{ readonly events: number; readonly records: number }> {
  const { rows } = await client.query<{ readonly events: string; readonly records: string }>(
    `select (select count(*) from orders.changes) + (select count(*) from comparison.outbox) as events,
       (select count(*) from orders.idempotency) + (select count(*) from comparison.idempotency_records) as records`,
  );
  return { events: Number(rows[0]?.events), records: Number(rows[0]?.records) };
}

/** Returns the last event of an order. */
async function eventOf(client: Client, writer: string, id: string): Promise<unknown> {
  const { rows } = await client.query<Record<string, unknown>>(
    `select type, version, changed from (
       select owner_id, aggregate_id, type, version, changed from orders.changes
       union all select owner_id, aggregate_id, type, version, changed from comparison.outbox
     ) as events where owner_id = $1 and aggregate_id = $2 order by version desc`,
    [writer, id],
  );
  return rows[0];
}

/** Returns the parts of a problem that all servers must agree on. */
function codeOf({ status, body }: ComparedResponse) {
  return { status, code: typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined };
}

function idOf({ body }: ComparedResponse): string {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  if (typeof id === 'string') return id;
  throw new WrongResponse(`a write returned ${JSON.stringify(body)}`);
}
