import { randomUUIDv7 } from 'node:crypto';
import type { Client } from 'pg';
import { countWrites, placeOrders } from '../database/seed.ts';
import { blanked, type ComparedResponse, difference, fetchResponse } from './compared-response.ts';
import type { Case } from './case.ts';
import { type CaseName, CASES, NEW_ORDER, replayTarget } from './cases.ts';
import { WrongResponse } from './wrong-response.ts';

/** A server whose responses are compared. */
export interface ComparedServer {
  readonly title: string;
  readonly port: number;
  /** The port of another server on the same tables, which reads what this one wrote. */
  readonly readerPort: number;
}

/** The data that the checks run against. */
export interface Fixture {
  readonly client: Client;
  readonly keys: Readonly<Record<Case['owner'], string>>;
  readonly owners: Readonly<Record<Case['owner'], string>>;
  /** Orders of the reader, the newest first. */
  readonly ids: readonly string[];
}

/**
 * Sends the same requests to a server and to Orders, and compares the responses member by member. Then reads the written
 * order through another server on the same tables, and checks the event and the idempotency record.
 *
 * @throws {WrongResponse} the responses differ
 */
export async function checkResponses(
  name: CaseName,
  orders: ComparedServer,
  other: ComparedServer,
  fixture: Fixture,
): Promise<void> {
  const found = await CHECKS[name](other, fixture);
  const wanted = await CHECKS[name](orders, fixture);
  agree(`${other.title} responds to ${CASES[name].title} differently from Orders`, wanted, found);
}

type Check = (server: ComparedServer, fixture: Fixture) => Promise<unknown>;

const CHECKS: Readonly<Record<CaseName, Check>> = {
  get: async (server, fixture) => await send('get', server, fixture, anyOf(fixture.ids)),
  list: async (server, fixture) => blankCursor(await send('list', server, fixture, '')),
  notModified: async (server, fixture) => await send('notModified', server, fixture, anyOf(fixture.ids)),
  invalid: async (server, fixture) => blanked(await send('invalid', server, fixture, randomUUIDv7())),
  create: async (server, fixture) => {
    const { response, written } = await writing(fixture, () => send('create', server, fixture, randomUUIDv7()));
    return {
      response: blanked(response),
      written,
      event: await eventOf(response, fixture),
      ...(await readBack(response, server, fixture)),
    };
  },
  replay: async (server, fixture) => {
    const key = randomUUIDv7();
    const first = await send('create', server, fixture, key);
    const { response, written } = await writing(fixture, () => send('replay', server, fixture, replayTarget(key, '')));
    const { body, headers } = first;
    const repeated = difference(
      { body, headers: { ...headers, 'idempotent-replayed': 'true' } },
      {
        body: response.body,
        headers: response.headers,
      },
    );
    const other = { ...CASES.create.request(key), body: NEW_ORDER.replace('"quantity":1', '"quantity":2') };
    const reused = await fetchResponse(server.port, fixture.keys.writer, other);
    return {
      response: blanked(response),
      written,
      repeated,
      reused: codeOf(reused),
      ...(await readBack(response, server, fixture)),
    };
  },
  cancel: async (server, fixture) => {
    const [id = ''] = await placeOrders(fixture.client, fixture.owners.writer, 1);
    const { response, written } = await writing(fixture, () => send('cancel', server, fixture, id));
    const retry = await send('cancel', server, fixture, id);
    const { path } = CASES.cancel.request(id);
    const withoutKey = await fetchResponse(server.port, fixture.keys.writer, { method: 'POST', path });
    return {
      response: blanked(response),
      written,
      event: await eventOf(response, fixture),
      repeated: difference(response.body, retry.body),
      retry: blanked(retry),
      withoutKey: codeOf(withoutKey),
      ...(await readBack(response, server, fixture)),
    };
  },
};

/**
 * Compares the responses to requests that the load does not send: with an invalid API key, for nonexistent orders, and
 * for orders of another owner.
 *
 * @throws {WrongResponse} the responses differ
 */
export async function checkRejections(orders: ComparedServer, other: ComparedServer, fixture: Fixture): Promise<void> {
  const rejections = async ({ port }: ComparedServer) => ({
    unauthenticated: await fetchResponse(port, 'invalid', CASES.get.request(anyOf(fixture.ids))).then(
      ({ status }) => status,
    ),
    unknown: codeOf(await fetchResponse(port, fixture.keys.reader, CASES.get.request(randomUUIDv7()))),
    foreign: codeOf(await fetchResponse(port, fixture.keys.writer, CASES.get.request(anyOf(fixture.ids)))),
    cancelUnknown: codeOf(await fetchResponse(port, fixture.keys.writer, CASES.cancel.request(randomUUIDv7()))),
  });
  agree(`${other.title} rejects requests differently from Orders`, await rejections(orders), await rejections(other));
}

function agree(summary: string, wanted: unknown, found: unknown): void {
  const differs = difference(wanted, found);
  if (differs !== undefined) throw new WrongResponse(`${summary}: ${differs}`);
}

async function send(
  name: CaseName,
  { port }: ComparedServer,
  { keys }: Fixture,
  target: string,
): Promise<ComparedResponse> {
  const measured: Case = CASES[name];
  return await fetchResponse(port, keys[measured.owner], measured.request(target));
}

/** Sends a request, and counts the events and idempotency records that it stored. */
async function writing(fixture: Fixture, work: () => Promise<ComparedResponse>) {
  const before = await countWrites(fixture.client);
  const response = await work();
  const after = await countWrites(fixture.client);
  return {
    response,
    written: { events: after.events - before.events, records: after.records - before.records },
  };
}

/** Compares the returned order with the one that another server on the same tables reads. */
async function readBack(response: ComparedResponse, { readerPort }: ComparedServer, fixture: Fixture) {
  const read = await fetchResponse(readerPort, fixture.keys.writer, CASES.get.request(idOf(response)));
  return {
    readBack: difference(response.body, read.body),
    tag: difference(response.headers['etag'], read.headers['etag']),
  };
}

/** Returns the last event of the order in the response. */
async function eventOf(response: ComparedResponse, { client, owners }: Fixture): Promise<unknown> {
  if (idOf(response) === '') return undefined;
  const { rows } = await client.query<Record<string, unknown>>(
    `select e.type, e.version, e.changed, o.item_count
     from (
       select owner_id, aggregate_id, type, version, changed, occurred_at from orders.changes
       union all select owner_id, aggregate_id, type, version, changed, occurred_at from comparison.outbox
     ) e join (
       select owner_id, id, updated_at, item_count from orders.orders
       union all select owner_id, id, updated_at, item_count from comparison.orders
     ) o on o.owner_id = e.owner_id and o.id = e.aggregate_id and o.updated_at = e.occurred_at
     where e.owner_id = $1 and aggregate_id = $2 order by e.version desc`,
    [owners.writer, idOf(response)],
  );
  return rows[0];
}

/** Returns the parts of a problem that all servers must agree on. */
function codeOf({ status, body }: ComparedResponse) {
  return { status, code: typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined };
}

function idOf({ body }: ComparedResponse): string {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  return typeof id === 'string' ? id : '';
}

/** Replaces the cursor, whose content is specific to a server. All servers must agree on whether it is `null`. */
function blankCursor({ body, ...rest }: ComparedResponse): unknown {
  const text = JSON.stringify(body).replace(/"next_cursor":"[^"]+"/, '"next_cursor":"a cursor"');
  const blankedBody: unknown = JSON.parse(text);
  return { ...rest, body: blankedBody };
}

/** Returns the same id for every server, so that the responses are comparable. */
function anyOf(ids: readonly string[]): string {
  return ids[ids.length >> 1] ?? '';
}
