import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Flood, FloodRequests, Outcome } from './attack.ts';
import { openConnection } from './connection.ts';
import { countResponses } from './response-counter.ts';

/** An API key in the right form that no server has issued. */
const aGuess = () => `ord_${randomBytes(5).toString('hex')}_${randomBytes(32).toString('base64url')}`;

/** Another /64 network for every number below 2^32. */
const network = (number: number) => `2001:db8:${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}::1`;

const PUBLIC = ['GET /nothing-here', 'OPTIONS /v1/orders', 'GET /openapi.json', 'GET /docs', 'OPTIONS /nothing-here'];

/** Sends the requests of a flood until all are sent or `signal` aborts. */
export async function flood(attack: Flood, signal: AbortSignal): Promise<Outcome> {
  const outcome: Record<string, number> = { sent: 0 };
  const count = (name: string) => (outcome[name] = (outcome[name] ?? 0) + 1);
  const next = requestsOf(attack.requests);
  let sent = 0;

  const isStopped = () => signal.aborted;
  const occupy = async (): Promise<void> => {
    while (!signal.aborted && sent < attack.count) {
      const socket = await openConnection(attack);
      if (!socket) return void count('refused connections');
      const end = () => socket.destroy();
      signal.addEventListener('abort', end);
      let waiting = 0;
      const fill = () => {
        if (signal.aborted) return void socket.destroy();
        let bytes = '';
        for (; waiting < attack.depth && sent < attack.count; waiting += 1) bytes += next((sent += 1));
        if (bytes !== '') socket.write(bytes);
        if (waiting === 0) socket.destroy();
      };
      let isClosing = false;
      const take = countResponses((status, closes) => {
        waiting -= 1;
        isClosing ||= closes;
        count(`${status}`);
      });
      socket.on('data', (bytes: Buffer) => {
        take(bytes);
        if (isClosing) socket.end();
        else if (waiting <= attack.depth / 2) fill();
      });
      const closed = once(socket, 'close');
      socket.resume();
      fill();
      await closed;
      signal.removeEventListener('abort', end);
      const name = isStopped() ? 'stopped' : 'withoutResponse';
      if (waiting > 0) outcome[name] = (outcome[name] ?? 0) + waiting;
    }
  };

  await Promise.all(Array.from({ length: attack.connections }, occupy));
  return { ...outcome, sent };
}

function requestsOf(requests: FloodRequests): (number: number) => string {
  const host = 'Host: orders\r\n';
  const forwarded = (number: number) => `X-Forwarded-For: ${network(number)}\r\n`;
  if (requests.of === 'networks') return (number) => `GET /v1/orders HTTP/1.1\r\n${host}${forwarded(number)}\r\n`;
  if (requests.of === 'guesses') return () => `GET /v1/orders HTTP/1.1\r\n${host}X-API-Key: ${aGuess()}\r\n\r\n`;
  if (requests.of === 'guesses-of-networks') {
    return (number) => `GET /v1/orders HTTP/1.1\r\n${host}${forwarded(number)}X-API-Key: ${aGuess()}\r\n\r\n`;
  }
  if (requests.of === 'given') {
    const { texts } = requests;
    return (number) => texts[number % texts.length] ?? '';
  }
  return (number) => `${PUBLIC[number % PUBLIC.length]} HTTP/1.1\r\n${host}\r\n`;
}
