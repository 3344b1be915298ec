import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WrongAnswer } from '../cases/wrong-response.ts';
import { type LoadOrder, LoadReport } from './load-protocol.ts';

/** Sends requests from a process of its own, so that they cost those that are measured nothing. */
export interface Load {
  /** @throws {WrongAnswer} an answer was not the right one: its time would be no figure */
  run(order: LoadOrder): Promise<LoadReport>;
  stop(): Promise<void>;
}

export function startLoad(): Load {
  const child = fork(join(import.meta.dirname, 'load-worker.ts'), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  return {
    run: async (order) => {
      child.send(order);
      const answered = once(child, 'message').then(([message]) => LoadReport.parse(message));
      const died = ended.then(() => Promise.reject(new Error('the load process ended by itself')));
      const report = await Promise.race([answered, died]);
      if (report.wrong !== undefined) throw new WrongAnswer(`${order.case}: ${report.wrong}`);
      if (report.requests === 0) throw new WrongAnswer(`${order.case}: nothing was answered`);
      return report;
    },
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}
