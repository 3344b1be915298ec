import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WrongResponse } from '../wrong-response.ts';
import type { LoadJob, LoadReport } from './load-worker.ts';

/** A load generator in a process of its own, whose CPU time does not count for a server. */
export interface Load {
  /** @throws {WrongResponse} a response differs from the expected one */
  run(job: LoadJob): Promise<LoadReport>;
  stop(): Promise<void>;
}

export function startLoad(): Load {
  const child = fork(join(import.meta.dirname, 'load-worker.ts'), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  return {
    run: async (job) => {
      child.send(job);
      const reported = once(child, 'message').then(([report]: readonly LoadReport[]) => report);
      const died = ended.then(() => Promise.reject(new Error('the load process ended unexpectedly')));
      const report = await Promise.race([reported, died]);
      if (report?.wrong !== undefined) throw new WrongResponse(`${job.case}: ${report.wrong}`);
      if (!report || report.requests === 0) throw new WrongResponse(`${job.case}: no response was received`);
      return report;
    },
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}
