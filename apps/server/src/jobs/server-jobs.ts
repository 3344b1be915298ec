import type { Domain, OrderDefinition } from '@orders/domain';
import { consumeStatistics, type Database, finishErasures, numberBacklogs, runJobs } from '@orders/persistence';
import type { Config } from '../config/config.ts';
import { countDueDeliveries } from './due-deliveries.ts';
import { every, type Job, type JobParts, observedStep } from './job.ts';
import { purgeRepeatedly } from './purge.ts';

/** Maximum wait between two checks of the readiness, in milliseconds. A clock is noticed without a balancer or scrapes, too. */
const CHECK_INTERVAL_MS = 10_000;

/** The parts of a server that its jobs use. */
interface ServerParts extends JobParts {
  readonly database: Database<unknown, OrderDefinition>;
  readonly domain: Pick<Domain<OrderDefinition>, 'continueErasures'>;
  readonly webhooks: Readonly<Record<'watch' | 'deliver', Job>> | undefined;
  readonly recordUses: Job;
  readonly ownerSettings: { readonly follow: Job };
  readonly checkReadiness: () => Promise<unknown>;
}

/** Returns what a server does besides requests. */
export function serverJobs(parts: ServerParts, config: Config): readonly (Job | false | undefined)[] {
  const { webhooks, observer } = parts;
  return [
    checkReadiness(parts),
    purgeRepeatedly(parts, config),
    numberEvents(parts),
    config.STATISTICS === 'on' && countOrders(parts),
    eraseOrders(parts),
    runOperatorJobs(parts),
    parts.recordUses,
    parts.ownerSettings.follow,
    webhooks !== undefined && observer?.deliveriesDue !== undefined && countDueDeliveries(parts),
    webhooks?.watch,
    config.WEBHOOKS !== 'api' && webhooks?.deliver,
  ];
}

function checkReadiness({ checkReadiness: step, log }: ServerParts): Job {
  const failure = 'the readiness could not be checked';
  return every({ name: 'readiness', intervalMs: CHECK_INTERVAL_MS, step, failure }, log);
}

/** Gives changes their positions in the feeds of owners with many new ones. */
function numberEvents(parts: JobParts): Job {
  const { database, log, observer } = parts;
  const owners = observedStep('number_events', parts);
  const step = async (signal: AbortSignal) => {
    const numbered = await numberBacklogs(database, signal, owners);
    const { unnumbered, oldestAt } = numbered;
    observer?.unnumbered?.(unnumbered, oldestAt === null ? 0 : Math.max(0, Date.now() - Date.parse(oldestAt)));
    if (numbered.owners > 0) log.info({ owners: numbered.owners }, 'numbered the events of owners with many new ones');
  };
  const failure = 'numbering of events failed; the next run continues there';
  return every({ name: 'number_events', intervalMs: 60 * 1000, step, failure }, log);
}

/** Keeps the figures of the orders of all owners. Servers share the work. */
function countOrders({ database, log }: JobParts): Job {
  const run = (signal: AbortSignal) =>
    consumeStatistics(database, {
      signal,
      onRetry: ({ owner, cause: err, pauseMs }) =>
        log.warn({ owner, err, pauseMs }, 'orders could not be counted; another attempt follows a pause'),
      onRecounted: (owner) => log.info({ owner }, 'counted the orders of an owner again'),
    });
  return { name: 'statistics', run };
}

/** Finishes the erasures whose orders were too many for the request, or that were interrupted. Servers share the work. */
function eraseOrders(parts: ServerParts): Job {
  const { database, domain, log } = parts;
  const owners = observedStep('erase', parts);
  const run = (signal: AbortSignal) =>
    finishErasures(database, domain.continueErasures, {
      ...owners,
      signal,
      onRetry: ({ owner, cause: err }) => {
        if (owner === null) log.warn({ err }, 'pending erasures could not be found; another attempt follows a pause');
        else owners.onPassedOver(owner, err);
      },
      onFinished: (owner, erasures) => log.info({ owner, erasures }, 'erasures are done'),
    });
  return { name: 'erase', run };
}

/** Maximum wait until a server begins with a job of an operator, in milliseconds. */
const OPERATOR_JOBS_MS = 2000;

/** Works on the jobs of operators. Each has one server at a time, and goes on where it was after a crash. */
function runOperatorJobs({ database, log }: ServerParts): Job {
  const onFailure = (job: string, err: unknown) => log.warn({ job, err }, 'a job of an operator was interrupted');
  const step = (signal: AbortSignal) => runJobs(database, { signal, onFailure });
  const failure = 'jobs of operators could not be found; the next run does it';
  return every({ name: 'operator_jobs', intervalMs: OPERATOR_JOBS_MS, step, failure }, log);
}
