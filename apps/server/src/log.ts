import { redactError } from '@orders/http-adapter';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.ts';

/** One JSON line an event on standard output; for people when that is a terminal. */
export function createLog({ LOG_LEVEL }: Config) {
  const stream = process.stdout.isTTY ? pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }) : undefined;
  const err = (error: unknown) => (error instanceof Error ? redactError(error) : error);
  const options = { level: LOG_LEVEL, serializers: { err } };
  return stream ? pino(options, stream) : pino(options);
}
