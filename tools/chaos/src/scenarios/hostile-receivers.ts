import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '@orders/system-under-test';
import { type BadReceiver, type Misbehaviour, startBadReceiver } from '../hostile/bad-receivers.ts';
import { type HostileClient, type Outcome, playBeside, type Way } from '../hostile/play-beside.ts';
import { type HostileScene, setScene, type Tenant, withDeliveries } from '../hostile/scene.ts';
import type { Scenario } from '../stage.ts';

/** Events for a dead endpoint. */
const DUE = 100_000;

export const hostileReceivers: Scenario = {
  name: 'hostile-receivers',
  about: `webhooks that hang, drip and reset, ${DUE} due deliveries, and endless responses`,
  run: async (stage) => {
    const scene = await withDeliveries(await setScene(stage));
    const { tenant } = scene;
    const slow = ['hangs', 'drips', 'resets'] as const;
    await playBeside(scene, await badEndpoints(scene, tenant(0), 'endpoints that hang, drip, reset', slow));
    const endless = ['hints', 'handshakes'] as const;
    await playBeside(scene, await badEndpoints(scene, tenant(1), 'endless 103 and TLS handshakes', endless));
    stage.progress('writing events');
    await playBeside(scene, await dueDeliveries(scene, tenant(2), DUE));
  },
};

/** Writes within the limit of an owner in a minute, of which the registrations use some. */
const WRITES = 100;

/** The most endpoints that an owner may have. */
const ENDPOINTS = 10;

/** The events of an owner before its endpoints are enabled again and again. */
const EVENTS = 1000;

/** The pauses between two writes of a loop, so that these last as long as a short attack, in milliseconds. */
const PAUSE_MS = 30;

/**
 * Ten endpoints that misbehave, with a thousand events. A failing endpoint gets few attempts, so that its owner disables
 * and enables them in turn, as often as its limit permits.
 */
async function badEndpoints(
  scene: HostileScene,
  { owner, client: { webhooks } }: Tenant,
  name: string,
  kinds: readonly Misbehaviour[],
): Promise<Way> {
  const { stage, postgres } = scene;
  const receivers = await Promise.all(kinds.map((kind) => startBadReceiver(stage, kind)));
  const ids: string[] = [];
  for (let count = 0; count < ENDPOINTS; count += 1) {
    const { url = '' } = receivers[count % receivers.length] ?? {};
    ids.push((await webhooks.create({ url }))._unsafeUnwrap().endpoint.id);
  }
  const toggle = async (turn: number) => {
    // The events are written as the attack begins, before any endpoint fails.
    if (turn === 0) await writeEvents(postgres.url, owner, EVENTS);
    const id = ids[Math.floor(turn / 2) % ids.length] ?? '';
    return outcomeOf(await webhooks.change(id, { status: turn % 2 === 0 ? 'disabled' : 'enabled' }));
  };
  return loopWay(scene, name, { receivers, writes: WRITES, send: toggle });
}

/** An endpoint that resets connections and is enabled when so many events wait for it. */
async function dueDeliveries(scene: HostileScene, { owner, client }: Tenant, count: number): Promise<Way> {
  const { stage, postgres } = scene;
  const { webhooks } = client;
  const receiver = await startBadReceiver(stage, 'resets');
  const { id } = (await webhooks.create({ url: receiver.url }))._unsafeUnwrap().endpoint;
  (await webhooks.change(id, { status: 'disabled' }))._unsafeUnwrap();
  await writeEvents(postgres.url, owner, count);
  const send = async () => outcomeOf(await webhooks.change(id, { status: 'enabled' }));
  return loopWay(scene, `${count} events, dead endpoint`, { receivers: [receiver], writes: 1, send });
}

interface Loop {
  readonly receivers: readonly BadReceiver[];
  readonly writes: number;
  /** Sends the request of a turn, and returns its outcome. */
  readonly send: (turn: number) => Promise<string>;
}

/** Returns an attack that sends requests in a loop, within the limit of the owner, and whose receivers must be reached. */
function loopWay({ stage }: HostileScene, name: string, { receivers, writes, send }: Loop): Way {
  const start = (): HostileClient => {
    const stopped = new AbortController();
    stage.atEnd(() => stopped.abort());
    const before = receivers.map((receiver) => receiver.connections());
    const attempts = () => receivers.map((receiver, index) => receiver.connections() - (before[index] ?? 0));
    const outcome: Record<string, number> = { requests: 0 };
    const loop = async () => {
      for (let sent = 0; !stopped.signal.aborted && sent < writes; sent += 1) {
        const name = await send(sent);
        outcome[name] = (outcome[name] ?? 0) + 1;
        outcome['requests'] = sent + 1;
        await sleep(PAUSE_MS);
      }
      while (!stopped.signal.aborted && attempts().includes(0)) await sleep(PAUSE_MS);
      return { ...outcome, ...Object.fromEntries(attempts().map((count, at) => [`receiver ${at + 1}`, count])) };
    };
    const finished = loop();
    finished.catch(() => undefined); // The caller that awaits it receives its failure.
    const stop = () => {
      stopped.abort();
      return finished;
    };
    return { finished, stop };
  };
  const fault = (outcome: Outcome) =>
    receivers.some((_, at) => outcome[`receiver ${at + 1}`] === 0) ? 'no attempt reached a receiver' : undefined;
  return { name, start, finishes: true, fault };
}

function outcomeOf(result: { readonly error: { readonly type: string } } | { readonly value: unknown }): string {
  return 'error' in result ? result.error.type : 'done';
}

/** Gives an owner events without positions, one a second, as if no one had ever read them. */
async function writeEvents(databaseUrl: string, owner: string, count: number): Promise<void> {
  await query(
    databaseUrl,
    `insert into orders.changes
       (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select $1, 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
       now() - n * interval '1 second', 1
     from generate_series(1, $2::int) n`,
    [owner, count],
  );
  await query(databaseUrl, 'analyze orders.changes');
  await checkpoint(databaseUrl);
}

/**
 * Completes a checkpoint, so that PostgreSQL does not write the events to the disk while requests are timed. Only a
 * superuser may request one. A new database that is copied as files needs one too, and the role may create databases.
 */
async function checkpoint(databaseUrl: string): Promise<void> {
  await query(databaseUrl, 'create database copied strategy = file_copy');
  await query(databaseUrl, 'drop database copied');
}
