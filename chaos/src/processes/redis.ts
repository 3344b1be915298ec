import type { Stage } from '../stage.ts';
import { freePort } from './free-port.ts';
import { ensureInstalled } from './installed.ts';
import { type Program, startProgram } from './program.ts';

const START_MS = 20_000;

/** A Redis that keeps nothing, and can go and come back. */
export interface Redis {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startRedis(stage: Stage): Promise<Redis> {
  ensureInstalled('redis-server', 'redis-server');
  const port = await freePort();
  const args = ['--bind', '127.0.0.1', '--port', `${port}`, '--save', '', '--appendonly', 'no', '--dir', stage.folder];
  const begin = async () => {
    const started = await startProgram(stage, 'redis', { command: 'redis-server', args });
    await started.says(/Ready to accept connections/, START_MS);
    return started;
  };
  let current: Program = await begin();
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (name) => current.signal(name),
    kill: () => current.kill(),
    start: async () => {
      current = await begin();
    },
  };
}
