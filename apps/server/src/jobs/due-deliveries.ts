import { dueDeliveries } from '@orders/persistence';
import { every, type Job, type JobParts, observedStep } from './job.ts';

/** Counts due deliveries. Whether this process delivers makes no difference: the counts also show that no worker runs. */
export function countDueDeliveries(parts: JobParts): Job {
  const { database, log, observer } = parts;
  const owners = observedStep('count_deliveries', parts);
  const step = async (signal: AbortSignal) => {
    const due = await dueDeliveries(database, signal, owners);
    if (!signal.aborted) observer?.deliveriesDue?.(due);
  };
  const failure = 'due webhook deliveries could not be counted; the next run does it';
  return every({ name: 'count_deliveries', intervalMs: 30 * 1000, step, failure }, log);
}
