import { ENVIRONMENT, type Given } from './config.ts';

/**
 * Variables of OpenTelemetry and OpenSSL that this server does not read and whose names are similar to those that it
 * reads.
 */
const OTHERS = /^(OTEL_BLRP|SSL)_/;

/**
 * Finds unknown variables with a name similar to one of the server's that is not set. Similar means up to two letters
 * off, in short names one, in the shortest two letters exchanged. Returns a sentence for each, without the value.
 */
export function misspeltVariables(environment: Given): readonly string[] {
  const known = Object.keys(ENVIRONMENT.shape);
  const absent = known.filter((name) => environment[name] === undefined);
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || OTHERS.test(name)) return [];
    const suggestion = absent.find((candidate) => isMisspelt(name, candidate));
    return suggestion === undefined ? [] : [`${name} is unknown; did you mean ${suggestion}?`];
  });
}

function isMisspelt(name: string, known: string): boolean {
  const given = name.toUpperCase();
  // Names such as DATABASE_URL_2 and PORTS1 are intentional.
  if (given.startsWith(known) && /^[_\d]/.test(given.slice(known.length))) return false;
  if (known.length < 6) return distance(given, known) === 1 && sorted(given) === sorted(known);
  return distance(given, known) <= (known.length < 10 ? 1 : 2);
}

function sorted(text: string): string {
  return text.split('').toSorted().join('');
}

/**
 * Returns the number of letters to insert, remove, replace or exchange with their neighbour ("optimal string
 * alignment").
 */
function distance(from: string, to: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const [a, b] = [from[row - 1], to[column - 1]];
      const replaced = (last[column - 1] ?? 0) + (a === b ? 0 : 1);
      const cheapest = Math.min(replaced, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isExchanged = row > 1 && column > 1 && a === to[column - 2] && from[row - 2] === b;
      current.push(isExchanged ? Math.min(cheapest, (beforeLast[column - 2] ?? 0) + 1) : cheapest);
    }
    [beforeLast, last] = [last, current];
  }
  return last.at(-1) ?? 0;
}
