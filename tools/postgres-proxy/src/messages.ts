/** One message of the wire protocol (PostgreSQL's documentation, "Frontend/Backend Protocol", version 3). */
export interface Message {
  /** Its letter; empty for those before a session, which have none. */
  readonly type: string;
  /** All of it, as it was sent. */
  readonly bytes: Buffer;
  /** What follows its type and length. */
  readonly body: Buffer;
}

/** Takes bytes as they come and gives the messages that are complete by then. */
export type MessageReader = (chunk: Buffer) => readonly Message[];

const STARTUP = 3 << 16;

/** Reads what a client sends: messages without a type up to the one that starts the session, then messages with one. */
export function frontendMessages(): MessageReader {
  return messageReader(false);
}

/** Reads what PostgreSQL sends to a client that was refused encryption: messages with a type, always. */
export function backendMessages(): MessageReader {
  return messageReader(true);
}

function messageReader(startsTyped: boolean): MessageReader {
  let typed = startsTyped;
  let pending: Buffer = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    const messages: Message[] = [];
    for (let message = first(pending, typed); message; message = first(pending, typed)) {
      messages.push(message);
      pending = pending.subarray(message.bytes.length);
      typed ||= message.body.readInt32BE(0) === STARTUP;
    }
    return messages;
  };
}

function first(pending: Buffer, typed: boolean): Message | undefined {
  const start = typed ? 1 : 0;
  if (pending.length < start + 4) return undefined;
  const end = start + pending.readInt32BE(start);
  if (pending.length < end) return undefined;
  return {
    type: pending.toString('latin1', 0, start),
    bytes: pending.subarray(0, end),
    body: pending.subarray(start + 4, end),
  };
}
