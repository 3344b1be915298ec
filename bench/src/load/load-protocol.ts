import { z } from 'zod';
import { CASE_NAMES } from '../cases/cases.ts';

/** What the load process is asked to do. */
export const LoadOrder = z.object({
  case: z.enum([...CASE_NAMES, 'page']),
  port: z.number(),
  /** One for all, or one for each target. */
  apiKeys: z.array(z.string()).readonly(),
  targets: z.array(z.string()).readonly(),
  /** For how long requests are sent. Default: until `requests` are. */
  seconds: z.number().optional(),
  /** How many are sent at most. Default: any number. */
  requests: z.number().optional(),
  connections: z.number(),
});

export type LoadOrder = z.infer<typeof LoadOrder>;

/** What came of it. Times are in milliseconds. */
export const LoadReport = z.object({
  requests: z.number(),
  perSecond: z.number(),
  p50: z.number(),
  p99: z.number(),
  /** The first answer that was not the right one. */
  wrong: z.string().optional(),
});

export type LoadReport = z.infer<typeof LoadReport>;
