import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endingWithParent } from '@orders/child-processes';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDatabase } from '../programs/server-on-database.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const ESCAPE = '\u001B';
/** A whole line of the log about a request. */
const REQUEST_LINE = /(?:"msg":"request"|GET \/v1\/orders).*\r?\n/;

/** Starts the server in a terminal, sends it a request without credentials, and returns its output up to then. */
async function outputInTerminal(env: Readonly<Record<string, string>>): Promise<string> {
  const { url } = await aDatabase();
  const command = `exec '${process.execPath}' --conditions=source '${MAIN}'`;
  const onLinux = process.platform === 'linux';
  // The arguments of util-linux, or those of BSD and macOS.
  const args = onLinux ? ['-qec', command, '/dev/null'] : ['-q', '/dev/null', 'sh', '-c', command];
  const terminal = spawn(...endingWithParent('script', args), {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', DATABASE_URL: url, PORT: '0', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(terminal, 'close');
  onTestFinished(async () => {
    terminal.kill();
    await ended;
  });
  let output = '';
  let isRequested = false;
  for await (const text of terminal.stdout.setEncoding('utf8')) {
    output += String(text);
    const [, address] = /listening at (http:[\w.:/]+)/.exec(output) ?? [];
    if (address !== undefined && !isRequested) {
      isRequested = true;
      await fetch(`${address}/v1/orders`);
    }
    if (REQUEST_LINE.test(output)) return output;
  }
  throw new Error(`the server ended: ${output}`);
}

describe('the server in a terminal', () => {
  it('prints its URL, the reference, the next command and a line for each request, in colour', async () => {
    const output = await outputInTerminal({});
    expect(output).toContain(`${ESCAPE}[`);
    const plain = output.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '');
    expect(plain).toMatch(/Orders listens on (http:\S+)\r\n.*\1\/docs\r\n.*pnpm orders keys create --owner shop/);
    expect(plain).toMatch(/^\[.*\] INFO: GET \/v1\/orders 401 \S+ ms request_id=\S+\r?$/m);
  });

  it('prints no colour with NO_COLOR', async () => {
    const output = await outputInTerminal({ NO_COLOR: '1' });
    expect(output).toContain('Orders listens on');
    expect(output).not.toContain(ESCAPE);
  });

  it('logs JSON in production, without a greeting', async () => {
    const output = await outputInTerminal({ NODE_ENV: 'production' });
    expect(output).toMatch(/^\{.*"msg":"request".*\}\r?$/m);
    expect(output).not.toContain('Orders listens on');
    expect(output).not.toContain(ESCAPE);
  });
});
