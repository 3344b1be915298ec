import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** The addresses of a name; `fails` is a failure of the server, `silent` no response at all. */
type Addresses = readonly string[] | 'fails' | 'silent';

/** The addresses of a name by type of record. Default: none. */
interface Records {
  readonly A?: Addresses;
  readonly AAAA?: Addresses;
}

/** A name server on this machine. */
export interface DnsServer {
  /** Address and port. */
  readonly address: string;
  /** Sets the records of a name. */
  resolve(name: string, records: Records): void;
  close(): Promise<void>;
}

const TYPES = { 1: 'A', 28: 'AAAA' } as const;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

/** Starts a name server that knows the names that a test sets, and no others. */
export async function startDnsServer(): Promise<DnsServer> {
  const names = new Map<string, Records>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, question } = parseQuery(query);
    const found = names.get(name)?.[type] ?? [];
    if (found === 'silent') return;
    const code = found === 'fails' ? SERVER_FAILURE : names.has(name) ? 0 : NO_SUCH_NAME;
    socket.send(responseTo(question, code, found === 'fails' ? [] : found), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    resolve: (name, records) => void names.set(name, records),
    async close() {
      await once(socket.close(), 'close');
    },
  };
}

/** Reads the only question of a query (RFC 1035 section 4.1). */
function parseQuery(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1) === 28 ? TYPES[28] : TYPES[1];
  return { name: labels.join('.').toLowerCase(), type, question: query.subarray(0, at + 5) };
}

function responseTo(question: Buffer, code: number, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...addresses.map(recordOf)]);
}

/** Returns a record of the name in the question, valid for no time. */
function recordOf(address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.from([0xc0, 0x0c, 0, data.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}
