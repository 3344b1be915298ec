/** The interval of progress lines where lines cannot be overwritten, in milliseconds. */
const LINE_MS = 5000;

/** Shows the progress of a scenario: continuously on a terminal, from time to time in a log. */
export function showProgress(begun: number) {
  const { stderr } = process;
  let [text, shown] = ['', ''];
  const show = () => {
    const line = `  ${seconds(performance.now() - begun)}  ${text}`;
    if (stderr.isTTY) stderr.write(`\r\u001b[K${line}`);
    else if (text !== shown) stderr.write(`${line}\n`);
    shown = text;
  };
  const timer = setInterval(show, stderr.isTTY ? 250 : LINE_MS);
  return {
    progress: (now: string) => {
      text = now;
    },
    stopProgress: () => {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write('\r\u001b[K');
    },
  };
}

/** Formats a duration in seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
