// Loaded before a program by `node --import`: sets the clock that it sees ahead by CLOCK_AHEAD_MS.
const aheadMs = Number(process.env['CLOCK_AHEAD_MS']);
const timeOfTheSystem = Date.now;

type Given = [time: number | string | Date];

Date.now = () => timeOfTheSystem() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given: [] | Given, newTarget: typeof Date) =>
    Reflect.construct<Given, Date>(target, given.length === 0 ? [Date.now()] : given, newTarget),
});
