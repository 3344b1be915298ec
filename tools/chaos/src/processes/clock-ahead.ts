// Loaded before a program by `node --import`. On SIGUSR2 it sets the clock of the program ahead by CLOCK_AHEAD_MS. Not
// at its start, because a server does not start with a wrong clock.
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
