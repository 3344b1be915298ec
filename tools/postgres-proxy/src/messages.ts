/** One message of the wire protocol (PostgreSQL's documentation, "Frontend/Backend Protocol", version 3). */
export interface Message {
  /** The type letter; empty for messages before the session starts. */
  readonly type: string;
  /** The complete message. */
  readonly bytes: Buffer;
  /** The message without its type and length. */
  readonly body: Buffer;
}

/** Consumes bytes as they arrive and returns the messages that are complete. */
export type MessageReader = (chunk: Buffer) => readonly Message[];

const STARTUP = 3 << 16;

/** Returns a parser of client messages, which have no type until the session starts. */
export function frontendMessages(): MessageReader {
  return messageReader(false);
}

/** Returns a parser of PostgreSQL's messages to a client without encryption, which always have a type. */
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
