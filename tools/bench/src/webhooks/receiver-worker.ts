import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ReceivedDeliveries } from './received-deliveries.ts';
import { ReceiverJob, type ReceiverReport } from './receiver-protocol.ts';

/** The number of ports. A sender keeps connections for each of them apart, as for different receivers. */
const PORTS = 16;

const CHECK_MS = 5;

// The parent may end in the middle of a run.
process.on('disconnect', () => process.exit());

const deliveries = new ReceivedDeliveries();
/** Responses to requests that hang. */
const hanging = new Set<ServerResponse>();

process.on('message', (message) => {
  void run(ReceiverJob.parse(message)).then((report) => process.send?.(report));
});

async function run(job: ReceiverJob): Promise<ReceiverReport> {
  if (job.kind === 'expect') deliveries.expect(job.endpoints);
  if (job.kind === 'release') for (const response of hanging) response.destroy();
  if (job.kind !== 'report') return { arrivedAt: [], lagsMs: [] };
  const deadline = performance.now() + job.timeoutMs;
  while (deliveries.unreported < job.count && !deliveries.isWrong && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
  return deliveries.report();
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '';
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const endpoint = deliveries.endpoint(path);
    if (endpoint?.behaviour === 'hangs') {
      hanging.add(response);
      response.on('close', () => hanging.delete(response));
      return;
    }
    deliveries.accept(path, { headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(204).end();
  });
}

async function listen(): Promise<number> {
  const server = createServer(receive).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port');
  return address.port;
}

process.send?.({ ports: await Promise.all(Array.from({ length: PORTS }, listen)) });
