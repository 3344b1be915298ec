import type { DatabaseFunction } from '../sql/database-function.ts';
import { claim } from './claim-function.ts';
import { fanOut } from './fan-out-function.ts';
import { purge } from './purge-function.ts';
import { resume } from './resume-function.ts';
import { settle } from './settle-function.ts';

/** The functions of webhooks. Each locks the queue of an endpoint first, and then its deliveries. */
export const WEBHOOK_FUNCTIONS: Readonly<Record<'fanOut' | 'claim' | 'settle' | 'resume' | 'purge', DatabaseFunction>> =
  {
    fanOut,
    claim,
    settle,
    resume,
    purge,
  };
