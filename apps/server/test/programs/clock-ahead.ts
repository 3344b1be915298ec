/** Returns the environment of a program whose clock is ahead of the system's. */
export function clockAhead(aheadMs: number): Readonly<Record<string, string>> {
  const script = `
    const system = Date.now;
    Date.now = () => system() + ${aheadMs};
    globalThis.Date = new Proxy(Date, {
      construct: (target, given, newTarget) =>
        Reflect.construct(target, given.length === 0 ? [Date.now()] : given, newTarget),
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}
