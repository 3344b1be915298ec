import type { Duplex } from 'node:stream';

/** Bounds of the connections that linger. */
interface Bounds {
  /** The time until a connection is destroyed, in milliseconds. */
  readonly ms: number;
  /** The number of bytes that a client may still send. */
  readonly bytes: number;
  /** The number of connections that linger at once. */
  readonly connections: number;
}

/**
 * Ends a connection after its last response, while the client may still be sending (RFC 9112 section 9.6). Destroying it
 * at once would reset it, and a client that is reset loses a response that it has not read yet. Therefore only the sending
 * side is closed first. Further bytes are discarded without parsing, until the client closes the connection too. Beyond the
 * bounds of the process the connection is destroyed, or the one that has lingered longest.
 */
export const linger = lingeringWithin({ ms: 3000, bytes: 64 * 1024 * 1024, connections: 256 });

/** Returns a function that lingers within `bounds`. */
export function lingeringWithin({ ms, bytes, connections }: Bounds): (socket: Duplex) => void {
  /** From the one that has lingered longest. */
  const lingering = new Set<Duplex>();
  return (socket) => {
    socket.end();
    if (socket.destroyed || socket.readableEnded || lingering.has(socket)) return;
    // Node.js destroys the socket of a last response as soon as that is sent (`destroySoon`).
    // oxlint-disable-next-line typescript/unbound-method -- the listener itself
    socket.off('finish', socket.destroy);
    // `resume` alone does not read on from a socket that the parser of Node.js reads.
    socket.emit('resume');
    let left = bytes;
    const parsers = socket.listeners('data');
    // From now on Node.js passes the bytes to listeners, and not to its parser directly.
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) socket.destroy();
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any listener
    for (const listener of parsers) socket.off('data', listener as () => void);
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), ms).unref();
    lingering.add(socket);
    socket.once('close', () => {
      clearTimeout(timer);
      lingering.delete(socket);
    });
    if (lingering.size <= connections) return;
    for (const oldest of lingering) {
      lingering.delete(oldest);
      oldest.destroy();
      return;
    }
  };
}
