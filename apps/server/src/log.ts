import { redactError } from '@orders/http-adapter';
import { pino } from 'pino';
import type { Config } from './config.ts';
import { readableLog } from './readable-log.ts';

/** Whether the log is text for a developer: on a terminal, unless the server runs in production. */
export function isLogReadable({ NODE_ENV }: Config): boolean {
  return process.stdout.isTTY && NODE_ENV !== 'production';
}

/** Creates the log on standard output: readable text, or one JSON line for each event. */
export function createLog(config: Config) {
  const err = (error: unknown) => (error instanceof Error ? redactError(error) : error);
  const options = { level: config.LOG_LEVEL, serializers: { err } };
  if (!isLogReadable(config)) return pino(options);
  const { stdout } = process;
  // `hasColors` respects NO_COLOR and the capabilities of the terminal.
  const toText = readableLog({ colorize: stdout.hasColors() });
  return pino(options, { write: (json) => void stdout.write(toText(json)) });
}
