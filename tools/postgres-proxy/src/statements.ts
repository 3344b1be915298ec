import type { Message } from './messages.ts';

/** A statement that a client executed. */
export interface Statement {
  /** The number of its connection, counted from 1. */
  readonly connection: number;
  /** The name of the prepared statement; empty for an unnamed one. */
  readonly name: string;
  readonly text: string;
  /** The values as text: no client here sends binary ones. Empty for a simple query. */
  readonly parameters: readonly (string | null)[];
  /** The parse and describe messages since the previous execution. */
  readonly messages: readonly ('parse' | 'describe')[];
}

/** Returns a function that follows the messages of one connection, and returns a statement for each execution. */
export function statementsOf(connection: number): (message: Message) => Statement | undefined {
  const texts = new Map<string, string>();
  const portals = new Map<string, Omit<Statement, 'messages'>>();
  let messages: Statement['messages'] = [];
  return ({ type, body }) => {
    const read = bodyReader(body);
    if (type === 'Q') return { connection, name: '', text: read.text(), parameters: [], messages: [] };
    if (type === 'P') {
      texts.set(read.text(), read.text());
      messages = [...messages, 'parse'];
    }
    if (type === 'D') messages = [...messages, 'describe'];
    if (type === 'B') {
      const portal = read.text();
      const name = read.text();
      portals.set(portal, { connection, name, text: known(texts, name), parameters: read.parameters() });
    }
    if (type === 'C') (read.letter() === 'S' ? texts : portals).delete(read.text());
    if (type !== 'E') return undefined;
    const statement = { ...known(portals, read.text()), messages };
    messages = [];
    return statement;
  };
}

function known<T>(map: ReadonlyMap<string, T>, name: string): T {
  const value = map.get(name);
  if (value === undefined) throw new Error(`the client used "${name}", which it did not prepare`);
  return value;
}

function bodyReader(body: Buffer) {
  let at = 0;
  const bytes = (length: number) => body.subarray(at, (at += length));
  const int16 = () => bytes(2).readInt16BE();
  const int32 = () => bytes(4).readInt32BE();
  const parameter = (): string | null => {
    const length = int32();
    return length < 0 ? null : bytes(length).toString();
  };
  return {
    letter: () => bytes(1).toString('latin1'),
    text: () => {
      const text = body.toString('utf8', at, body.indexOf(0, at));
      at = body.indexOf(0, at) + 1;
      return text;
    },
    /** Parses the values of a Bind, which follow their formats. */
    parameters: () => {
      bytes(2 * int16());
      return Array.from({ length: int16() }, parameter);
    },
  };
}
