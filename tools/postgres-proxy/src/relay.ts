import type { Socket } from 'node:net';
import type { Decide } from './faults.ts';
import { backendMessages, frontendMessages, type Message } from './messages.ts';
import { type Statement, statementsOf } from './statements.ts';

/** One connection through the proxy. */
export interface Connection {
  readonly number: number;
  readonly client: Socket;
  readonly postgres: Socket;
  readonly decide: Decide;
  /** Ends a backend from another session. */
  readonly terminate: (pid: number) => Promise<void>;
  /** The process id that the client gets in place of the backend's. Default: the backend's. */
  readonly announcedPid: number | undefined;
}

/** Messages that prepare an execution. */
const PREPARING = new Set('PBDC');
/** Messages that PostgreSQL confirms with ReadyForQuery. */
const CONFIRMED = new Set('QSF');

/** Forwards messages in both directions until one side ends. */
export function relay({ number, client, postgres, decide, terminate, announcedPid }: Connection): void {
  const statementOf = statementsOf(number);
  let pid = 0;
  let closed = false;
  let silent = false;
  let ended = false;
  let held: Buffer[] = [];
  const cut = () => {
    closed = true;
    postgres.destroy();
    client.end();
  };
  const silence = () => {
    silent = true;
  };

  // The number of expected and of received ReadyForQuery messages, including the one that starts the session.
  let expected = 1;
  let received = 0;
  let lost = Infinity;
  // The effect of a lost response: the end of the connection, or silence.
  let loseResponse = cut;

  const send = ({ type, bytes }: Message) => {
    held.push(bytes);
    // PostgreSQL takes the locks of a statement when it is prepared, so that the preparation waits for the execution.
    if (PREPARING.has(type)) return;
    if (CONFIRMED.has(type)) expected += 1;
    postgres.write(Buffer.concat(held));
    held = [];
  };

  const execute = async (statement: Statement, message: Message): Promise<void> => {
    const decision = await decide(statement).catch((cause: unknown) => {
      cut();
      throw cause;
    });
    if (closed) return;
    if (decision === 'cut_before') return cut();
    if (decision === 'terminated') {
      // The client learns of it after the terminating session has ended, so that a test does not see that session.
      postgres.pause();
      ended = true;
      await terminate(pid);
      postgres.resume();
      return;
    }
    if (decision === 'swallowed') return silence();
    if (decision === 'response_swallowed') loseResponse = silence;
    if (decision === 'response_lost' || decision === 'response_swallowed') lost = expected + 1;
    send(message);
  };

  const forward = async (message: Message): Promise<void> => {
    if (closed || silent) return;
    // Encryption is refused, because the proxy could not read encrypted messages.
    if (message.type === '' && message.body.length === 4) return void client.write('N');
    const statement = statementOf(message);
    if (statement) await execute(statement, message);
    else send(message);
  };

  const readClient = frontendMessages();
  let forwarded = Promise.resolve();
  client.on('data', (chunk: Buffer) => {
    if (closed) client.destroy();
    for (const message of readClient(chunk)) forwarded = forwarded.then(() => forward(message));
  });

  const readPostgres = backendMessages();
  postgres.on('data', (chunk: Buffer) => {
    for (const { type, bytes, body } of readPostgres(chunk)) {
      if (type === 'K') {
        pid = body.readInt32BE(0);
        body.writeInt32BE(announcedPid ?? pid);
      }
      if (received + 1 < lost && !silent) client.write(bytes);
      if (type === 'Z') received += 1;
      if (received === lost) return loseResponse();
    }
  });

  client.on('close', () => {
    closed = true;
    // A silent connection forwards no end either, so that PostgreSQL continues to wait.
    if (!silent) postgres.end();
  });
  postgres.on('close', () => {
    closed = true;
    // On a slow network the end arrives long after its announcement; here, when the client sends more.
    if (!ended && !silent) client.end();
  });
  // The 'close' event of one side forwards both kinds of end to the other.
  client.on('error', () => undefined);
  postgres.on('error', () => undefined);
}
