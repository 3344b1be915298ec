import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A TCP connection from which a bounded number of bytes is read. What the peer sends beyond it is neither read nor parsed,
 * and destroys the connection.
 */
export class BoundedSocket extends Duplex {
  readonly #tcp: Socket;
  #left = 0;
  #isExceeded = false;

  /** @param tcp a socket that is connected and has no reader yet */
  constructor(tcp: Socket) {
    super({ allowHalfOpen: false });
    this.#tcp = tcp;
    tcp
      .on('data', (chunk: Buffer) => this.#receive(chunk))
      .on('end', () => this.push(null))
      .on('error', (cause) => this.destroy(cause))
      .on('close', () => {
        if (!tcp.readableEnded) this.destroy();
      });
  }

  /** Whether the peer has sent more than it may. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Lets the peer send so many bytes from now on. */
  allow(bytes: number): void {
    this.#left = bytes;
  }

  /** An agent of Node.js calls it before each further request. The process waits for the TCP connection in any case. */
  ref(): this {
    return this;
  }

  override _read(): void {
    if (!this.#isExceeded) this.#tcp.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (cause?: Error | null) => void): void {
    this.#tcp.write(chunk, done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (cause?: Error | null) => void): void {
    this.#tcp.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#tcp.end(done);
  }

  override _destroy(cause: Error | null, done: (cause: Error | null) => void): void {
    this.#tcp.destroy();
    done(cause);
  }

  #receive(chunk: Buffer): void {
    this.#isExceeded = chunk.length > this.#left;
    const part = chunk.subarray(0, this.#left);
    this.#left -= part.length;
    if (!this.push(part) || this.#isExceeded) this.#tcp.pause();
    // Later, because the reader may still find a whole response in what it may read.
    if (this.#isExceeded) setImmediate(() => this.destroy(new Error('the peer has sent too many bytes')));
  }
}
