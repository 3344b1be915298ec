import { redactError } from '@orders/http-adapter';
import { destination, multistream, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { isLogReadable } from '../config/developer-output.ts';
import { printable } from '../terminal.ts';

/**
 * The number of bytes that are written at once, and the longest time that a line waits for them, in milliseconds. One
 * write for each line takes a tenth of the server's time for a small request.
 */
const WRITE_BYTES = 4096;
const WRITE_INTERVAL_MS = 100;

/**
 * Creates the log on standard output: readable text, or one JSON line for each event. JSON lines are written in batches,
 * at each warning, and when the process exits. The lines that an exit writes may come before a batch in progress.
 */
export async function createLog(config: Pick<Config, 'LOG_LEVEL' | 'NODE_ENV'>) {
  const err = (error: unknown) => (error instanceof Error ? redactError(error) : error);
  const level = (label: string) => ({ level: label });
  const options = { level: config.LOG_LEVEL, serializers: { err }, formatters: { level } };
  if (!isLogReadable(config)) {
    const output = destination({ dest: 1, sync: false, minLength: WRITE_BYTES, periodicFlush: WRITE_INTERVAL_MS });
    // A process that fails may be killed: a warning is written at once, with the lines before it.
    const flush = { write: () => output.flush() };
    return pino(
      options,
      multistream([
        { level: 'trace', stream: output },
        { level: 'warn', stream: flush },
      ]),
    );
  }
  const { stdout } = process;
  // Imported late, because only terminals need it.
  const { readableLog } = await import('./readable-log.ts');
  // `hasColors` respects NO_COLOR and the capabilities of the terminal.
  const toText = readableLog({ colorize: stdout.hasColors() });
  return pino(options, { write: (json) => void stdout.write(printable(toText(json), { colored: true })) });
}
