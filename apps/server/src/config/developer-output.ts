/** The variables that say whom the output of a server is for. */
interface Audience {
  readonly DATABASE_URL?: string | undefined;
  readonly NODE_ENV?: string | undefined;
}

/** The values of `NODE_ENV` that mean development. */
export const DEVELOPMENT: readonly string[] = ['development', 'test'];

/** Whether a server runs in production. Any unknown word means it, so that a misspelt one opens nothing. */
export function isProduction({ NODE_ENV = '' }: Pick<Audience, 'NODE_ENV'>): boolean {
  return NODE_ENV !== '' && !DEVELOPMENT.includes(NODE_ENV);
}

/** Whether the log is text for a developer: on a terminal, unless the server runs in production. */
export function isLogReadable({ NODE_ENV }: Audience): boolean {
  return process.stdout.isTTY && !isProduction({ NODE_ENV });
}

/** Whether a developer follows the start: on a terminal, or with the embedded database. */
export function isForDeveloper({ DATABASE_URL = '', NODE_ENV }: Audience): boolean {
  return DATABASE_URL === '' || isLogReadable({ NODE_ENV });
}

/**
 * Returns a function that prints what a start does, for a developer who waits: at most one line per second, so that a fast
 * start prints the first one alone.
 */
export function startProgress(audience: Audience): (step: string) => void {
  if (!isForDeveloper(audience)) return () => undefined;
  let printedAt = -Infinity;
  return (step) => {
    const now = performance.now();
    if (now - printedAt < 1000) return;
    printedAt = now;
    process.stdout.write(`${step} …\n`);
  };
}
