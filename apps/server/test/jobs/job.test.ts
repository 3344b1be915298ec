import { once } from 'node:events';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { startJobs } from '../../src/jobs/job.ts';

it('a job that fails is logged and started again, and jobs are stopped, the last one first', async () => {
  const [lines, stopped]: [string[], string[]] = [[], []];
  const log = pino({}, { write: (line) => lines.push(line) });
  let starts = 0;
  const jobs = ['first', 'failing'].map((name) => ({
    name,
    run: async (signal: AbortSignal) => {
      if (name === 'failing' && (starts += 1) < 3) throw new Error('a defect');
      await once(signal, 'abort');
      stopped.push(name);
    },
  }));
  const stop = startJobs([...jobs, undefined, false], log);
  await vi.waitFor(() => expect(starts).toBe(3));
  await stop();
  expect(stopped).toEqual(['failing', 'first']);
  expect(lines.map((line) => /"level":50.*"job":"(\w+)"/.exec(line)?.[1])).toEqual(['failing', 'failing']);
});
