import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Connection, openConnection } from '@orders/system-under-test';
import type { Stage } from '../stage.ts';
import type { HostileClient, Outcome, Way } from './play-beside.ts';
import type { HostileScene } from './scene.ts';

/** Requests that are sent as quickly as their responses arrive. */
export interface Flood {
  readonly port: number;
  /** The requests, which are sent in turn. */
  readonly texts: readonly string[];
  readonly connections: number;
  /** Maximum number of requests. */
  readonly count: number;
}

/** Starts a flood in a thread of its own, so that it does not delay the clients that are measured. */
export function startFlood(stage: Stage, flood: Flood): HostileClient {
  const worker = new Worker(new URL(import.meta.url), { workerData: flood });
  const finished = once(worker, 'message').then(([outcome]: readonly Outcome[]) => outcome ?? {});
  finished.catch(() => undefined); // The caller that awaits it receives its failure.
  stage.atEnd(() => worker.terminate());
  return {
    finished,
    stop: () => {
      worker.postMessage('stop');
      return finished;
    },
  };
}

/** A way that floods the watched server, and whose responses all have one of the expected statuses, or are 429 or 503. */
export function floodWay(
  { stage, server }: HostileScene,
  flood: Omit<Flood, 'port'>,
  expected: RegExp,
  way: Pick<Way, 'name' | 'memoryMaxMib'>,
): Way {
  const fault = ({ sent = 0, ...outcome }: Outcome) => {
    const proper = Object.entries(outcome).filter(([status]) => expected.test(status) || /^(429|503)$/.test(status));
    const count = proper.reduce((sum, [, times]) => sum + times, 0);
    return count === sent ? undefined : `${sent - count} of ${sent} requests got no proper response`;
  };
  return { ...way, start: () => startFlood(stage, { ...flood, port: server.port }), finishes: true, fault };
}

/** Sends all requests, or those until `signal` aborts, and counts their responses by status. */
async function send({ port, texts, connections, count }: Flood, signal: AbortSignal): Promise<Outcome> {
  const outcome: Record<string, number> = { sent: 0 };
  const add = (name: string) => (outcome[name] = (outcome[name] ?? 0) + 1);
  let sent = 0;
  const work = async () => {
    let connection: Connection | undefined;
    while (!signal.aborted && sent < count) {
      const text = texts[sent % texts.length] ?? '';
      sent += 1;
      add('sent');
      try {
        if (!connection || connection.isClosed()) connection = await openConnection(port);
        const { status, head } = await connection.exchange(text);
        add(`${status}`);
        if (/^connection: *close/im.test(head)) connection.close();
      } catch {
        connection?.close();
        add('without a response');
      }
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return outcome;
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  const stopped = new AbortController();
  port.once('message', () => stopped.abort());
  // oxlint-disable-next-line typescript/no-unsafe-argument -- the main thread passes a Flood
  port.postMessage(await send(workerData, stopped.signal));
}
