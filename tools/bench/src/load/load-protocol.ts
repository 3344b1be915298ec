import { z } from 'zod';
import { CASE_NAMES, WRITE_CASE_NAMES } from '../cases/cases.ts';

/** The requests that the load process sends. */
export const LoadJob = z.object({
  case: z.enum([...CASE_NAMES, ...WRITE_CASE_NAMES, 'page', 'events']),
  port: z.number(),
  /** One API key for all requests, or one for each target. */
  apiKeys: z.array(z.string()).readonly(),
  targets: z.array(z.string()).readonly(),
  /** The duration of the load in seconds. Default: unlimited. */
  seconds: z.number().optional(),
  /** The maximum number of requests. Default: unlimited. */
  requests: z.number().optional(),
  /** The pace of all connections together. Default: each sends its next request after a response. */
  perSecond: z.number().optional(),
  connections: z.number(),
});

export type LoadJob = z.infer<typeof LoadJob>;

/** The figures of a load. Times are in milliseconds. */
export const LoadReport = z.object({
  requests: z.number(),
  perSecond: z.number(),
  p50: z.number(),
  p99: z.number(),
  /** The first wrong response, with its request. */
  wrong: z.string().optional(),
});

export type LoadReport = z.infer<typeof LoadReport>;
