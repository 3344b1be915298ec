import { randomUUIDv7 } from 'node:crypto';
import type { Client } from 'pg';
import { countWrites, placeOrders } from '../database/seed.ts';
import { type Answer, ask, blanked, difference } from './compared-response.ts';
import type { Case } from './case.ts';
import { type CaseName, CASES, NEW_ORDER, replayTarget } from './cases.ts';
import { WrongAnswer } from './wrong-response.ts';

/** A server that is asked, by its name and port. */
export interface Asked {
  readonly title: string;
  readonly port: number;
  /** The port of another server on the same tables, which reads what this one wrote. */
  readonly readerPort: number;
}

/** What is known to those who check. */
export interface Known {
  readonly client: Client;
  readonly keys: Readonly<Record<Case['owner'], string>>;
  readonly owners: Readonly<Record<Case['owner'], string>>;
  /** Orders of the reader, the newest first. */
  readonly ids: readonly string[];
}

/**
 * Asks a server and ours the same, and compares the answers member by member; then reads what the server wrote by
 * another server on its tables, and looks for the event and the record of the key.
 *
 * @throws {WrongAnswer} they differ
 */
export async function checkAnswers(name: CaseName, ours: Asked, other: Asked, known: Known): Promise<void> {
  const found = await CHECKS[name](other, known);
  const wanted = await CHECKS[name](ours, known);
  agree(`${other.title} answers ${CASES[name].title} otherwise than ours`, wanted, found);
}

type Check = (server: Asked, known: Known) => Promise<unknown>;

const CHECKS: Readonly<Record<CaseName, Check>> = {
  get: async (server, known) => await send('get', server, known, anyOf(known.ids)),
  list: async (server, known) => blankCursor(await send('list', server, known, '')),
  notModified: async (server, known) => await send('notModified', server, known, anyOf(known.ids)),
  invalid: async (server, known) => blanked(await send('invalid', server, known, randomUUIDv7())),
  create: async (server, known) => {
    const { answer, written } = await writing(known, () => send('create', server, known, randomUUIDv7()));
    return {
      answer: blanked(answer),
      written,
      event: await eventOf(answer, known),
      ...(await readBack(answer, server, known)),
    };
  },
  replay: async (server, known) => {
    const key = randomUUIDv7();
    const first = await send('create', server, known, key);
    const { answer, written } = await writing(known, () => send('replay', server, known, replayTarget(key, '')));
    const { body, headers } = first;
    const repeated = difference(
      { body, headers: { ...headers, 'idempotent-replayed': 'true' } },
      {
        body: answer.body,
        headers: answer.headers,
      },
    );
    const other = { ...CASES.create.request(key), body: NEW_ORDER.replace('"quantity":1', '"quantity":2') };
    const reused = await ask(server.port, known.keys.writer, other);
    return {
      answer: blanked(answer),
      written,
      repeated,
      reused: codeOf(reused),
      ...(await readBack(answer, server, known)),
    };
  },
  cancel: async (server, known) => {
    const [id = ''] = await placeOrders(known.client, known.owners.writer, 1);
    const { answer, written } = await writing(known, () => send('cancel', server, known, id));
    const repeat = await send('cancel', server, known, id);
    const { path } = CASES.cancel.request(id);
    const again = await ask(server.port, known.keys.writer, { method: 'POST', path });
    return {
      answer: blanked(answer),
      written,
      event: await eventOf(answer, known),
      repeated: difference(answer.body, repeat.body),
      repeat: blanked(repeat),
      again: codeOf(again),
      ...(await readBack(answer, server, known)),
    };
  },
};

/** What no load asks for, but every server that does the same work says: no to strangers, and to what is not there. */
export async function checkRefusals(ours: Asked, other: Asked, known: Known): Promise<void> {
  const refusals = async ({ port }: Asked) => ({
    stranger: await ask(port, 'nobody', CASES.get.request(anyOf(known.ids))).then(({ status }) => status),
    unknown: codeOf(await ask(port, known.keys.reader, CASES.get.request(randomUUIDv7()))),
    foreign: codeOf(await ask(port, known.keys.writer, CASES.get.request(anyOf(known.ids)))),
    noOrder: codeOf(await ask(port, known.keys.writer, CASES.cancel.request(randomUUIDv7()))),
  });
  agree(`${other.title} refuses otherwise than ours`, await refusals(ours), await refusals(other));
}

function agree(what: string, wanted: unknown, found: unknown): void {
  const differs = difference(wanted, found);
  if (differs !== undefined) throw new WrongAnswer(`${what}: ${differs}`);
}

async function send(name: CaseName, { port }: Asked, { keys }: Known, target: string): Promise<Answer> {
  const measured: Case = CASES[name];
  return await ask(port, keys[measured.owner], measured.request(target));
}

/** Does what may write, and counts what it left. */
async function writing(known: Known, work: () => Promise<Answer>) {
  const before = await countWrites(known.client);
  const answer = await work();
  const after = await countWrites(known.client);
  return {
    answer,
    written: { events: after.events - before.events, records: after.records - before.records },
  };
}

/** Whether another server reads the order as the server returned it that wrote it. */
async function readBack(answer: Answer, { readerPort }: Asked, known: Known) {
  const read = await ask(readerPort, known.keys.writer, CASES.get.request(idOf(answer)));
  return {
    readBack: difference(answer.body, read.body),
    tag: difference(answer.headers['etag'], read.headers['etag']),
  };
}

/** The last event of the order that was answered. */
async function eventOf(answer: Answer, { client, owners }: Known): Promise<unknown> {
  if (idOf(answer) === '') return undefined;
  const { rows } = await client.query<Record<string, unknown>>(
    `select e.type, e.version, e.changed, o.item_count
     from (select * from outbox union all select * from comparison.outbox) e join (
       select owner_id, id, updated_at, item_count from orders
       union all select owner_id, id, updated_at, item_count from comparison.orders
     ) o on o.owner_id = e.owner_id and o.id = e.aggregate_id and o.updated_at = e.occurred_at
     where e.owner_id = $1 and aggregate_id = $2 order by e.version desc`,
    [owners.writer, idOf(answer)],
  );
  return rows[0];
}

/** What is refused is refused for the same reason. */
function codeOf({ status, body }: Answer) {
  return { status, code: typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined };
}

function idOf({ body }: Answer): string {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  return typeof id === 'string' ? id : '';
}

/** Each server has cursors of its own, and has one exactly when there is more. */
function blankCursor({ body, ...rest }: Answer): unknown {
  const text = JSON.stringify(body).replace(/"next_cursor":"[^"]+"/, '"next_cursor":"a cursor"');
  const blankedBody: unknown = JSON.parse(text);
  return { ...rest, body: blankedBody };
}

/** The same for everybody: those that are compared are asked for the same. */
function anyOf(ids: readonly string[]): string {
  return ids[ids.length >> 1] ?? '';
}
