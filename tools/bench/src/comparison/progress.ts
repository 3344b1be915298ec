/** Reports the progress of a run on standard error. */
export interface Progress {
  begin(steps: number): void;
  /** Reports the start of a step. */
  step(title: string): void;
  /** Reports something that is not a step. */
  log(text: string): void;
  end(): void;
}

export function progressOn({ stderr }: { readonly stderr: NodeJS.WriteStream }): Progress {
  const started = performance.now();
  let steps = 0;
  let done = 0;
  const show = (text: string) => {
    const seconds = Math.round((performance.now() - started) / 1000);
    // A log keeps each line; a terminal shows the last one.
    if (stderr.isTTY) stderr.write(`\r\u001B[K${seconds} s  ${text}`);
    else if (done % 20 === 1 || steps === 0) stderr.write(`${seconds} s  ${text}\n`);
  };
  return {
    begin: (all) => {
      steps = all;
    },
    step: (title) => {
      done += 1;
      show(`${Math.round((100 * (done - 1)) / steps)} %  ${title}`);
    },
    log: (text) => {
      if (stderr.isTTY) show(text);
      else stderr.write(`${text}\n`);
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001B[K');
    },
  };
}
