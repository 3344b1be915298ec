import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { type CaseName, CASES } from '../cases/cases.ts';
import { checkAnswers, type Known } from '../cases/check-responses.ts';
import { WrongAnswer } from '../cases/wrong-response.ts';
import type { Load } from '../load/load.ts';

/** An answer on its way to the client. */
interface Passing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a server may get wrong, and on which case. */
const LIES: readonly { readonly on: CaseName; readonly lie: (answer: Passing) => Passing }[] = [
  { on: 'get', lie: (answer) => ({ ...answer, status: 203 }) },
  { on: 'get', lie: (answer) => ({ ...answer, body: answer.body.replace('8970', '8971') }) },
  { on: 'list', lie: (answer) => ({ ...answer, body: answer.body.replace('"has_more":true', '"has_more":false') }) },
  { on: 'create', lie: (answer) => ({ ...answer, headers: { ...answer.headers, location: '/elsewhere' } }) },
  { on: 'cancel', lie: (answer) => ({ ...answer, body: answer.body.replace('"cancelled"', '"pending"') }) },
  { on: 'notModified', lie: (answer) => ({ ...answer, headers: { ...answer.headers, etag: '"9-1"' } }) },
  { on: 'invalid', lie: (answer) => ({ ...answer, body: answer.body.replace('items[2]', 'items[1]') }) },
];

/**
 * Puts a server in front of ours that gets one thing wrong, for one thing after the other, and sees both that the
 * comparison of answers objects and that the load does: a check that lets everything pass would be worse than none.
 *
 * @throws {Error} a wrong answer went unnoticed
 */
export async function checkThatLiesAreNoticed(
  port: number,
  load: Load,
  known: Known,
  targetsOf: (name: CaseName) => Promise<readonly string[]>,
): Promise<void> {
  const ours = { title: 'ours', port, readerPort: port };
  for (const [index, { on, lie }] of LIES.entries()) {
    const liar = await startLiar(port, lie);
    try {
      const compared = checkAnswers(on, ours, { title: 'a liar', port: liar.port, readerPort: port }, known);
      await mustBeNoticed(compared, `the comparison of ${on} let lie ${index} pass`);
      const { owner } = CASES[on];
      const order = { case: on, port: liar.port, apiKeys: [known.keys[owner]], connections: 1, seconds: 0.2 };
      const loaded = load.run({ ...order, targets: await targetsOf(on) });
      await mustBeNoticed(loaded, `the load of ${on} let lie ${index} pass`);
    } finally {
      await liar.stop();
    }
  }
}

async function mustBeNoticed(check: Promise<unknown>, otherwise: string): Promise<void> {
  const noticed = await check.then(
    () => false,
    (cause: unknown) => cause instanceof WrongAnswer,
  );
  if (!noticed) throw new Error(otherwise);
}

async function startLiar(port: number, lie: (answer: Passing) => Passing) {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const passed = sendRequest({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => {
        const told = Object.entries(answer.headers).flatMap(([name, value]) =>
          typeof value === 'string' && name !== 'content-length' ? [[name, value] as const] : [],
        );
        const wrong = lie({ status: answer.statusCode ?? 0, headers: Object.fromEntries(told), body });
        const length = wrong.status === 304 ? {} : { 'content-length': Buffer.byteLength(wrong.body) };
        outgoing.writeHead(wrong.status, { ...wrong.headers, ...length }).end(wrong.body);
      });
    });
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
