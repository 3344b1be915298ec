import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage.ts';
import type { Outcome } from './attack.ts';
import type { HostileClient } from './hostile-client.ts';
import type { Way } from './hostile-play.ts';
import { type HostileReceiver, isReached, startHostileReceiver } from './hostile-receivers.ts';
import type { WebhookOwner } from './webhook-owner.ts';
import { writeEvents } from './write-events.ts';

/** Writes within the limit of an owner in a minute, of which the registrations use some. */
const WRITES = 100;

/** The most endpoints that an owner may have. */
const ENDPOINTS = 10;

/** The events of an owner before its endpoints are enabled again and again. */
const EVENTS = 1000;

/** The pauses between two writes of a loop, so that these last as long as a short attack, in milliseconds. */
const PAUSE_MS = 30;

/** Tests and redeliveries at the same time. */
const AT_ONCE = 4;

/** An owner that is about to misbehave by webhooks. */
export interface WebhookAttacker {
  readonly stage: Stage;
  readonly databaseUrl: string;
  /** The name of the owner in the database. */
  readonly name: string;
  readonly owner: WebhookOwner;
}

/** Ten endpoints that hang, drip and reset connections. */
export async function badEndpoints(attacker: WebhookAttacker): Promise<Way> {
  const kinds = ['hangs', 'drips', 'resets'] as const;
  const receivers = await Promise.all(kinds.map((kind) => startHostileReceiver(attacker.stage, kind)));
  return await enabledInTurn(attacker, 'endpoints that hang, drip, reset', receivers);
}

/** Ten endpoints whose name has 6,300 addresses, and that send responses 103 or TLS handshakes without end. */
export async function endlessResponses(attacker: WebhookAttacker, nameServer: HostileReceiver): Promise<Way> {
  const streams = ['hints', 'handshakes'] as const;
  const receivers = await Promise.all(streams.map((kind) => startHostileReceiver(attacker.stage, kind)));
  return await enabledInTurn(attacker, '6,300 addresses, endless 103, TLS', [nameServer, ...receivers]);
}

/**
 * Ten endpoints at these receivers, with a thousand events. A failing endpoint gets few attempts, so that its owner disables
 * and enables them in turn, as often as its limit permits.
 */
async function enabledInTurn(
  { stage, databaseUrl, name, owner }: WebhookAttacker,
  way: string,
  receivers: readonly HostileReceiver[],
): Promise<Way> {
  const ids: string[] = [];
  for (let count = 0; count < ENDPOINTS; count += 1) {
    ids.push(await owner.register(receivers[count % receivers.length]?.url ?? ''));
  }
  const toggle = async (turn: number) => {
    // The events are written as the attack begins, before any endpoint fails.
    if (turn === 0) await writeEvents(databaseUrl, name, EVENTS);
    const id = ids[Math.floor(turn / 2) % ids.length] ?? '';
    return await owner.setStatus(id, turn % 2 === 0 ? 'disabled' : 'enabled');
  };
  return loopWay(stage, way, { receivers, atOnce: 1, writes: WRITES, send: toggle });
}

/** Tests of a hanging endpoint, and redeliveries to one that resets connections, in a loop. */
export async function testsAndRedeliveries({ stage, databaseUrl, name, owner }: WebhookAttacker): Promise<Way> {
  const [hanging, resetting] = await Promise.all([
    startHostileReceiver(stage, 'hangs'),
    startHostileReceiver(stage, 'resets'),
  ]);
  const tested = await owner.register(hanging.url);
  const redelivered = await owner.register(resetting.url);
  await writeEvents(databaseUrl, name, ENDPOINTS);
  await isReached(resetting);
  const events = await owner.events(redelivered);
  const send = (turn: number) => {
    const event = events[turn % events.length] ?? '';
    return turn % 2 === 0 ? owner.test(tested) : owner.redeliver(redelivered, event);
  };
  const loop = { receivers: [hanging, resetting], atOnce: AT_ONCE, writes: WRITES, send };
  return loopWay(stage, 'tests, redeliveries in a loop', loop);
}

/** An endpoint that resets connections and is enabled when so many events wait for it. */
export async function dueDeliveries({ stage, databaseUrl, name, owner }: WebhookAttacker, count: number): Promise<Way> {
  const receiver = await startHostileReceiver(stage, 'resets');
  const id = await owner.register(receiver.url);
  await owner.setStatus(id, 'disabled');
  await writeEvents(databaseUrl, name, count);
  const loop = { receivers: [receiver], atOnce: 1, writes: 1, send: () => owner.setStatus(id, 'enabled') };
  return loopWay(stage, `${count} events, dead endpoint`, loop);
}

interface Loop {
  readonly receivers: readonly HostileReceiver[];
  /** The requests that are sent at the same time, and in all. */
  readonly atOnce: number;
  readonly writes: number;
  /** Sends the request of a turn, and returns the status of its response. */
  readonly send: (turn: number) => Promise<number>;
}

/** Returns an attack that sends requests in a loop, within the limit of the owner, and whose receivers must be reached. */
function loopWay(stage: Stage, name: string, { receivers, atOnce, writes, send }: Loop): Way {
  const connections = () => receivers.map((receiver) => receiver.connections());
  const start = (): HostileClient => {
    const stopped = new AbortController();
    stage.atEnd(() => stopped.abort());
    const before = connections();
    const attempts = () => connections().map((count, index) => count - (before[index] ?? 0));
    const statuses: Record<string, number> = {};
    let sent = 0;
    const loop = async () => {
      while (!stopped.signal.aborted && sent < writes) {
        sent += 1;
        const status = await send(sent - 1);
        statuses[status] = (statuses[status] ?? 0) + 1;
        await sleep(PAUSE_MS);
      }
    };
    const loops = Promise.all(Array.from({ length: atOnce }, loop));
    const finished = loops.then(async () => {
      while (!stopped.signal.aborted && attempts().includes(0)) await sleep(PAUSE_MS);
      return { requests: sent, ...statuses };
    });
    finished.catch(() => undefined); // The caller that awaits it receives its failure.
    return {
      finished,
      stop: async () => {
        stopped.abort();
        const outcome = await finished;
        return {
          ...outcome,
          ...Object.fromEntries(attempts().map((count, index) => [`receiver ${index + 1}`, count])),
        };
      },
    };
  };
  const fault = (outcome: Outcome) =>
    receivers.some((_, index) => outcome[`receiver ${index + 1}`] === 0) ? 'no attempt reached a receiver' : undefined;
  return { name, start, finishes: true, fault };
}
