import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { WrongResponse } from '../wrong-response.ts';
import { ReceivedDeliveries, type ReceiverReport, type ReceivingEndpoint } from './received-deliveries.ts';

/** A receiver of webhooks, which checks every request. */
export interface Receiver {
  /** Returns a URL at which nothing was expected yet, at each of the ports in turn. */
  newUrl(): URL;
  /** Makes requests for the path of an endpoint count. */
  expect(endpoint: ReceivingEndpoint): void;
  /**
   * Waits for deliveries that were not reported yet, and reports all that have arrived.
   *
   * @throws {WrongResponse} one is wrong, or does not arrive in time
   */
  take(count: number): Promise<ReceiverReport>;
}

/** The number of ports. A sender keeps connections for each of them apart, as for different receivers. */
const PORTS = 16;

const CHECK_MS = 5;

/** The longest accepted time of all deliveries in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Starts a receiver in this process, whose CPU time does not count, and which waits meanwhile. */
export async function startReceiver(bench: Bench): Promise<Receiver> {
  const deliveries = new ReceivedDeliveries();
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '';
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const endpoint = deliveries.endpoint(path);
      if (endpoint) deliveries.accept(endpoint, request.headers, Buffer.concat(parts).toString());
      response.writeHead(204).end();
    });
  };
  const listen = async (): Promise<number> => {
    const server = createServer(receive).listen(0, '127.0.0.1');
    await once(server, 'listening');
    bench.atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const ports = await Promise.all(Array.from({ length: PORTS }, listen));
  let urls = 0;
  return {
    newUrl: () => {
      urls += 1;
      return new URL(`http://127.0.0.1:${ports[urls % ports.length]}/${urls}`);
    },
    expect: (endpoint) => deliveries.expect(endpoint),
    take: async (count) => {
      const deadline = performance.now() + TIMEOUT_MS;
      while (deliveries.unreported < count && !deliveries.isWrong && performance.now() < deadline)
        await sleep(CHECK_MS);
      const report = deliveries.report();
      if (report.wrong !== undefined) throw new WrongResponse(report.wrong);
      const found = report.arrivedAt.length;
      if (found !== count) throw new WrongResponse(`${found} deliveries arrived in place of ${count}`);
      return report;
    },
  };
}
