import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WrongResponse } from '../cases/wrong-response.ts';
import { type ReceiverJob, ReceiverReady, ReceiverReport } from './receiver-protocol.ts';
import type { ReceivingEndpoint } from './received-deliveries.ts';

/** A receiver of webhooks in a process of its own, which checks every request. */
export interface Receiver {
  /** Returns a URL at which nothing was expected yet, at each of the ports in turn. */
  newUrl(): URL;
  /** Makes requests for paths of it count. */
  expect(endpoints: readonly ReceivingEndpoint[]): Promise<void>;
  /**
   * Waits for deliveries that were not reported yet, and reports all that have arrived.
   *
   * @throws {WrongResponse} one is wrong, or does not arrive within `timeoutMs`
   */
  take(count: number, timeoutMs?: number): Promise<Omit<ReceiverReport, 'wrong'>>;
  /** Closes the connections of requests that hang. */
  release(): Promise<void>;
  stop(): Promise<void>;
}

/** The longest accepted time of all deliveries in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, 'receiver-worker.ts'), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  const died = ended.then(() => Promise.reject(new Error('the process of the receiver ended unexpectedly')));
  died.catch(() => undefined); // It also ends in `stop`.
  const replied = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), died]))[0];
  const { ports } = ReceiverReady.parse(await replied());
  const run = async (job: ReceiverJob): Promise<ReceiverReport> => {
    child.send(job);
    return ReceiverReport.parse(await replied());
  };
  let urls = 0;
  return {
    newUrl: () => {
      urls += 1;
      return new URL(`http://127.0.0.1:${ports[urls % ports.length]}/${urls}`);
    },
    expect: async (endpoints) => {
      await run({ kind: 'expect', endpoints: [...endpoints] });
    },
    take: async (count, timeoutMs = TIMEOUT_MS) => {
      const { wrong, ...report } = await run({ kind: 'report', count, timeoutMs });
      if (wrong !== undefined) throw new WrongResponse(wrong);
      const found = report.arrivedAt.length;
      if (found !== count) throw new WrongResponse(`${found} deliveries arrived in place of ${count}`);
      return report;
    },
    release: async () => {
      await run({ kind: 'release' });
    },
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}
