import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The log of a server of the tests, which is read when they are over. */
export const KEPT_LOG = {
  level: 'trace',
  stream: {
    write: (line: string) => appendFileSync(join(inject('logFolder'), `${process.pid}.ndjson`), line),
  },
};
