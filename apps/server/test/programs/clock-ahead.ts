/** Returns the environment of a program whose clock is ahead of the system's: always, or after an odd number of signals. */
export function clockAhead(aheadMs: number, jumpsAt?: NodeJS.Signals): Readonly<Record<string, string>> {
  const script = `
    const system = Date.now;
    let isAhead = ${jumpsAt === undefined};
    ${jumpsAt === undefined ? '' : `process.on('${jumpsAt}', () => (isAhead = !isAhead));`}
    Date.now = () => system() + (isAhead ? ${aheadMs} : 0);
    globalThis.Date = new Proxy(Date, {
      construct: (target, given, newTarget) =>
        Reflect.construct(target, given.length === 0 ? [Date.now()] : given, newTarget),
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}
