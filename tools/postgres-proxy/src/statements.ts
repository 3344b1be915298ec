import type { Message } from './messages.ts';

/** A statement that a client asked to execute. One that is fetched in portions comes once for each of them. */
export interface Statement {
  /** Which connection it came on, counted from 1. */
  readonly connection: number;
  /** The name it was prepared by; empty when it has none. */
  readonly name: string;
  readonly text: string;
  /** Its values as text, those sent in binary as `\x` and hexadecimal digits; none for a simple query. */
  readonly parameters: readonly (string | null)[];
  /** What PostgreSQL was asked since the execution before: to parse it, to describe it, both or neither. */
  readonly asked: readonly ('parse' | 'describe')[];
}

/** Follows the messages of one connection; answers with a statement when a message is one's execution. */
export function statementsOf(connection: number): (message: Message) => Statement | undefined {
  const texts = new Map<string, string>();
  const portals = new Map<string, Omit<Statement, 'asked'>>();
  let asked: Statement['asked'] = [];
  return ({ type, body }) => {
    const read = bodyReader(body);
    if (type === 'Q') return { connection, name: '', text: read.text(), parameters: [], asked: [] };
    if (type === 'P') {
      texts.set(read.text(), read.text());
      asked = [...asked, 'parse'];
    }
    if (type === 'D') asked = [...asked, 'describe'];
    if (type === 'B') {
      const portal = read.text();
      const name = read.text();
      portals.set(portal, { connection, name, text: known(texts, name), parameters: read.parameters() });
    }
    if (type === 'C') (read.letter() === 'S' ? texts : portals).delete(read.text());
    if (type !== 'E') return undefined;
    const statement = { ...known(portals, read.text()), asked };
    asked = [];
    return statement;
  };
}

function known<T>(map: ReadonlyMap<string, T>, name: string): T {
  const value = map.get(name);
  if (value === undefined) throw new Error(`the client names "${name}", which it did not prepare`);
  return value;
}

function bodyReader(body: Buffer) {
  let at = 0;
  const bytes = (length: number) => body.subarray(at, (at += length));
  const int16 = () => bytes(2).readInt16BE();
  const int32 = () => bytes(4).readInt32BE();
  const parameter = (binary: boolean): string | null => {
    const length = int32();
    if (length < 0) return null;
    return binary ? `\\x${bytes(length).toString('hex')}` : bytes(length).toString();
  };
  return {
    letter: () => bytes(1).toString('latin1'),
    text: () => {
      const text = body.toString('utf8', at, body.indexOf(0, at));
      at = body.indexOf(0, at) + 1;
      return text;
    },
    /** The values of a Bind: how each is sent, where one way may stand for all and none for text, then the values. */
    parameters: () => {
      const formats = Array.from({ length: int16() }, int16);
      return Array.from({ length: int16() }, (_, index) => parameter((formats[index] ?? formats[0] ?? 0) === 1));
    },
  };
}
