import type { Socket } from 'node:net';
import type { Judge } from './faults.ts';
import { backendMessages, frontendMessages, type Message } from './messages.ts';
import { type Statement, statementsOf } from './statements.ts';

/** One connection through the proxy. */
export interface Connection {
  readonly number: number;
  readonly client: Socket;
  readonly postgres: Socket;
  readonly judge: Judge;
  /** Ends a backend from another session. */
  readonly terminate: (pid: number) => Promise<void>;
}

/** Messages that prepare an execution. */
const PREPARING = new Set('PBDC');
/** Messages that PostgreSQL answers with ReadyForQuery at the end. */
const ASKING = new Set('QSF');

/** Carries messages both ways until one side ends. */
export function relay({ number, client, postgres, judge, terminate }: Connection): void {
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
  const hush = () => {
    silent = true;
  };

  // How many ReadyForQuery were asked for, the session's start being the first, and how many came.
  let asked = 1;
  let answered = 0;
  let lost = Infinity;
  // What happens to a connection when its answer is lost: its end, or silence.
  let loses = cut;

  const send = ({ type, bytes }: Message) => {
    held.push(bytes);
    // PostgreSQL takes the locks of a statement when it is prepared, so that waits until its execution may go on.
    if (PREPARING.has(type)) return;
    if (ASKING.has(type)) asked += 1;
    postgres.write(Buffer.concat(held));
    held = [];
  };

  const execute = async (statement: Statement, message: Message): Promise<void> => {
    const verdict = await judge(statement).catch((cause: unknown) => {
      cut();
      throw cause;
    });
    if (closed) return;
    if (verdict === 'cut_before') return cut();
    if (verdict === 'terminated') {
      // The client hears of it when the session that does it is over, so that a test that goes on does not meet it.
      postgres.pause();
      ended = true;
      await terminate(pid);
      postgres.resume();
      return;
    }
    if (verdict === 'swallowed') return hush();
    if (verdict === 'answer_swallowed') loses = hush;
    if (verdict === 'answer_lost' || verdict === 'answer_swallowed') lost = asked + 1;
    send(message);
  };

  const forward = async (message: Message): Promise<void> => {
    if (closed || silent) return;
    // Encryption is refused: what it hides could not be read here.
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
      if (type === 'K') pid = body.readInt32BE(0);
      if (answered + 1 < lost && !silent) client.write(bytes);
      if (type === 'Z') answered += 1;
      if (answered === lost) return loses();
    }
  });

  client.on('close', () => {
    closed = true;
    // What nothing gets through, the end of the connection does not either: PostgreSQL goes on to wait.
    if (!silent) postgres.end();
  });
  postgres.on('close', () => {
    closed = true;
    // On a slow network the end comes long after the words that announce it: here, once the client sends something.
    if (!ended && !silent) client.end();
  });
  // An end of either kind is told to the other side by its 'close'.
  client.on('error', () => undefined);
  postgres.on('error', () => undefined);
}
