import { ENVIRONMENT, type Given } from './config.ts';
import { ignoredParameters } from './database-url.ts';
import { DEVELOPMENT, isProduction } from './developer-output.ts';

/**
 * Variables of OpenTelemetry and OpenSSL that this server does not read and whose names are similar to those that it
 * reads.
 */
const OTHERS = /^(OTEL_BLRP|SSL)_/;

/**
 * Finds variables that probably mean something else than they say. Returns a sentence for each, without the value of any but
 * `NODE_ENV`.
 */
export function doubtfulVariables(environment: Given): readonly string[] {
  const { NODE_ENV = '' } = environment;
  const isUnknown = isProduction({ NODE_ENV }) && NODE_ENV !== 'production';
  const known = [...DEVELOPMENT, 'production'].join(', ');
  return [
    ...(isUnknown ? [`NODE_ENV is "${NODE_ENV}", which counts as production; the known words are ${known}`] : []),
    ...misspeltVariables(environment),
    ...ignoredParameters(environment),
  ];
}

/**
 * Finds unknown variables with a name similar to one of the server's, which is not set if there are several. Similar means up
 * to two letters off, in short names one, in the shortest two letters exchanged; or without its unit, or with `DB` for
 * `DATABASE`.
 */
function misspeltVariables(environment: Given): readonly string[] {
  const known = Object.keys(ENVIRONMENT.shape);
  const isSet = (name: string) => (environment[name] ?? '') !== '';
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || OTHERS.test(name)) return [];
    const similar = known.filter((candidate) => isMisspelt(name, candidate));
    const suggestion = similar.find((candidate) => !isSet(candidate)) ?? similar[0];
    if (suggestion === undefined) return [];
    return [`${name} is unknown; did you mean ${suggestion}${isSet(suggestion) ? ', which is set, too' : ''}?`];
  });
}

/** The units at the end of names. */
const UNITS = ['MS', 'BYTES', 'HOURS', 'DAYS'];

function isMisspelt(name: string, known: string): boolean {
  const given = name.toUpperCase().replace(/^DB_/, 'DATABASE_');
  if (given === known || UNITS.some((unit) => `${given}_${unit}` === known)) return true;
  // Names such as DATABASE_URL_2 and PORTS1 are intentional.
  if (given.startsWith(known) && /^[_\d]/.test(given.slice(known.length))) return false;
  // Nearly all pairs of names end here, before their letters are compared.
  if (Math.abs(given.length - known.length) > 2) return false;
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
