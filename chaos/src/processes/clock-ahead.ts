// Loaded before a program by `node --import`: from SIGUSR2 on sets the clock that it sees ahead by CLOCK_AHEAD_MS. Not
// from its start, since a server whose clock is not that of its database does not start.
const timeOfTheSystem = Date.now;
let aheadMs = 0;

process.on('SIGUSR2', () => {
  aheadMs = Number(process.env['CLOCK_AHEAD_MS']);
});

type Given = [time: number | string | Date];

Date.now = () => timeOfTheSystem() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given: [] | Given, newTarget: typeof Date) =>
    Reflect.construct<Given, Date>(target, given.length === 0 ? [Date.now()] : given, newTarget),
});
