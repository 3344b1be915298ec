import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { type CaseName, CASES } from '../cases/cases.ts';
import { checkResponses, type Fixture } from '../cases/check-responses.ts';
import { WrongResponse } from '../cases/wrong-response.ts';
import type { Load } from '../load/load.ts';

/** A response on its way to the client. */
interface ProxiedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Faults in a response, and the case that each is injected into. */
const FAULTS: readonly { readonly on: CaseName; readonly inject: (response: ProxiedResponse) => ProxiedResponse }[] = [
  { on: 'get', inject: (response) => ({ ...response, status: 203 }) },
  { on: 'get', inject: (response) => ({ ...response, body: response.body.replace('8970', '8971') }) },
  {
    on: 'list',
    inject: (response) => ({ ...response, body: response.body.replace('"has_more":true', '"has_more":false') }),
  },
  { on: 'create', inject: (response) => ({ ...response, headers: { ...response.headers, location: '/elsewhere' } }) },
  { on: 'cancel', inject: (response) => ({ ...response, body: response.body.replace('"cancelled"', '"pending"') }) },
  { on: 'notModified', inject: (response) => ({ ...response, headers: { ...response.headers, etag: '"9-1"' } }) },
  { on: 'invalid', inject: (response) => ({ ...response, body: response.body.replace('items[2]', 'items[1]') }) },
];

/**
 * Injects one fault after the other by a proxy in front of Orders, and checks that both the comparison of responses and
 * the load detect it. A check that accepts everything would be worse than none.
 *
 * @throws {Error} a fault was not detected
 */
export async function checkFaultDetection(
  port: number,
  load: Load,
  fixture: Fixture,
  targetsOf: (name: CaseName) => Promise<readonly string[]>,
): Promise<void> {
  const orders = { title: 'Orders', port, readerPort: port };
  for (const [index, { on, inject }] of FAULTS.entries()) {
    const proxy = await startFaultyProxy(port, inject);
    try {
      const compared = checkResponses(
        on,
        orders,
        { title: 'the faulty proxy', port: proxy.port, readerPort: port },
        fixture,
      );
      await expectDetection(compared, `the comparison of ${on} does not detect fault ${index}`);
      const { owner } = CASES[on];
      const job = { case: on, port: proxy.port, apiKeys: [fixture.keys[owner]], connections: 1, seconds: 0.2 };
      const loaded = load.run({ ...job, targets: await targetsOf(on) });
      await expectDetection(loaded, `the load of ${on} does not detect fault ${index}`);
    } finally {
      await proxy.stop();
    }
  }
}

async function expectDetection(check: Promise<unknown>, message: string): Promise<void> {
  const detected = await check.then(
    () => false,
    (cause: unknown) => cause instanceof WrongResponse,
  );
  if (!detected) throw new Error(message);
}

async function startFaultyProxy(port: number, inject: (response: ProxiedResponse) => ProxiedResponse) {
  const server = createServer((incoming, outgoing) => {
    const { method, url } = incoming;
    const passed = sendRequest(
      { port, host: '127.0.0.1', method, path: url, headers: incoming.headers },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => {
          const headers = Object.entries(response.headers).flatMap(([name, value]) =>
            typeof value === 'string' && name !== 'content-length' ? [[name, value] as const] : [],
          );
          const wrong = inject({ status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body });
          const length = wrong.status === 304 ? {} : { 'content-length': Buffer.byteLength(wrong.body) };
          outgoing.writeHead(wrong.status, { ...wrong.headers, ...length }).end(wrong.body);
        });
      },
    );
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
