import { parentPort, workerData } from 'node:worker_threads';
import type { Attack, Outcome } from './attack.ts';
import { abandonRequests, holdConnections, leaveUnread, meetClosingResponses, tryToTunnel } from './connections.ts';
import { flood } from './floods.ts';
import { sendSlowly } from './slow-bodies.ts';

/** The program of a hostile client's thread: carries out the attack of `workerData` until it receives a message to stop. */
async function main(attack: Attack, signal: AbortSignal): Promise<Outcome> {
  switch (attack.kind) {
    case 'unread':
      return await leaveUnread(attack, signal);
    case 'held':
      return await holdConnections(attack, signal);
    case 'flood':
      return await flood(attack, signal);
    case 'closing':
      return await meetClosingResponses(attack, signal);
    case 'abandoned':
      return await abandonRequests(attack, signal);
    case 'slow':
      return await sendSlowly(attack, signal);
    case 'tunnel':
      return await tryToTunnel(attack, signal);
  }
}

const stopped = new AbortController();
parentPort?.once('message', () => stopped.abort());
// oxlint-disable-next-line typescript/no-unsafe-argument -- The parent thread passes an Attack.
parentPort?.postMessage(await main(workerData, stopped.signal));
