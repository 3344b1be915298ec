/** How often progress is told where one line cannot take another's place, in milliseconds. */
const LINE_MS = 5000;

/** Shows how far a scenario is: on a terminal always, in a log now and then. */
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

/** Seconds, for people. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
