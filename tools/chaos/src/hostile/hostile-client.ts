import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isRecord } from '../load/resource.ts';
import type { Stage } from '../stage.ts';
import type { Attack, Outcome } from './attack.ts';

/** A running hostile client. */
export interface HostileClient {
  /** Settles when the attack has run out of requests or was stopped. */
  readonly finished: Promise<Outcome>;
  /** Ends the attack; resolves with its outcome. */
  stop(): Promise<Outcome>;
}

/** Starts an attack in a thread of its own, so that it does not delay the clients that are measured. */
export function startAttack(stage: Stage, attack: Attack): HostileClient {
  const worker = new Worker(new URL('attack-thread.ts', import.meta.url), { workerData: attack });
  const finished = outcomeOf(worker);
  finished.catch(() => undefined); // The caller that awaits it receives its failure.
  stage.atEnd(async () => {
    await worker.terminate();
  });
  return {
    finished,
    stop: async () => {
      worker.postMessage('stop');
      return await finished;
    },
  };
}

async function outcomeOf(worker: Worker): Promise<Outcome> {
  const messages: readonly unknown[] = await once(worker, 'message');
  const [outcome] = messages;
  await worker.terminate();
  if (!isRecord(outcome)) throw new Error('a hostile client reported no outcome');
  return Object.fromEntries(Object.entries(outcome).map(([name, count]) => [name, Number(count)]));
}
