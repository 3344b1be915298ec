import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A server under measurement, in a process of its own. */
export interface Subject {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const SCRIPTS = {
  orders: '../../apps/server/src/main.ts',
  'node:http + pg': 'peers/node-http.ts',
} as const;

/** Requests are counted as ever, and never too many. */
const LIMITS = { RATE_LIMIT_READ: '1000000000', RATE_LIMIT_WRITE: '1000000000', RATE_LIMIT_ANONYMOUS: '1000000000' };

export type SubjectName = keyof typeof SCRIPTS;

/** Starts a server on the database and waits until it listens. */
export async function startSubject(name: SubjectName, databaseUrl: string): Promise<Subject> {
  const child = spawn(process.execPath, ['--conditions=source', join(import.meta.dirname, SCRIPTS[name])], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', DATABASE_URL: databaseUrl, ...LIMITS },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-2000);
      const [, found] = /listening at (http:\/\/[^"\s]+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`${name} ended before it listened`)));
  });
  return {
    name,
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
