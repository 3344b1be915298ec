/** The interval of lines where they cannot be overwritten, in milliseconds. */
const LINE_MS = 10_000;

/** Reports the progress of a run on standard error. */
export interface Progress {
  /** Reports the start of a step. */
  step(title: string): void;
  end(): void;
}

export function showProgress(): Progress {
  const { stderr } = process;
  const started = performance.now();
  let shown = -Infinity;
  return {
    step: (title) => {
      const now = performance.now();
      const text = `${Math.round((now - started) / 1000)} s  ${title}`;
      // A log keeps each line; a terminal shows the last one.
      if (stderr.isTTY) stderr.write(`\r\u001B[K${text}`);
      else if (now - shown > LINE_MS) {
        stderr.write(`${text}\n`);
        shown = now;
      }
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001B[K');
    },
  };
}
