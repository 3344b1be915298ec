import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Stage } from '../stage.ts';
import type { HostileReceiver } from './hostile-receivers.ts';

/** The bytes before the question of a message, and before the address of a record. */
const HEAD_BYTES = 12;

/**
 * Almost as many addresses as the responses of DNS can have, by type of record. All but the last of each type are public, so
 * that all are checked, and none is connected to.
 */
const RECORDS = new Map([
  [1, recordsOf(1, { count: 4000, bytes: 4, first: 0x5d_b8, last: 0x0a_00 })],
  [28, recordsOf(28, { count: 2300, bytes: 16, first: 0x26_00, last: 0xfd_00 })],
]);

/** Starts a name server by which every name has 6,300 addresses. It ends with the stage. */
export async function startNameServer(stage: Stage): Promise<HostileReceiver & { readonly address: string }> {
  let queries = 0;
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    queries += 1;
    socket.send(responseTo(query), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  stage.atEnd(() => void socket.close());
  const address = `127.0.0.1:${socket.address().port}`;
  return { url: 'https://many.example/', connections: () => queries, address };
}

/** Returns the settings of a program that looks names up at `address` alone. */
export function lookingUpAt(address: string) {
  return { NODE_OPTIONS: `--import=${import.meta.resolve('../processes/name-server.ts')}?${address}` };
}

/** Returns the response to a query (RFC 1035 section 4.1). */
function responseTo(query: Buffer): Buffer {
  const end = query.indexOf(0, HEAD_BYTES) + 5;
  const head = Buffer.from(query.subarray(0, end));
  const records = RECORDS.get(head.readUInt16BE(end - 4)) ?? [];
  head.writeUInt16BE(0x81_80, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...records]);
}

interface Addresses {
  readonly count: number;
  readonly bytes: number;
  /** The first two bytes of each address, and those of the last one. */
  readonly first: number;
  readonly last: number;
}

/** Returns records of the name in the question, valid for no time. */
function recordsOf(type: number, { count, bytes, first, last }: Addresses): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const record = Buffer.alloc(HEAD_BYTES + bytes);
    for (const [at, value] of [0xc0_0c, type, 1, 0, 0, bytes].entries()) record.writeUInt16BE(value, 2 * at);
    record.writeUInt16BE(index < count - 1 ? first : last, HEAD_BYTES);
    record.writeUInt16BE(index, record.length - 2);
    return record;
  });
}
