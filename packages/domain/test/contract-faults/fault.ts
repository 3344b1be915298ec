/** A contract test that must fail, as in `orders: loading orders returns null for an unknown id`, with its message. */
type Detection = RegExp | readonly [title: RegExp, message: RegExp];

/** A text that a file of the in-memory store has once, what replaces it, and what finds it in every contract. */
export interface Fault {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly detectedBy: readonly Detection[];
}

/** A text, and its replacements, each with what detects it. */
export type FaultsOfText = readonly [find: string, ...(readonly [replace: string, ...detectedBy: Detection[]])[]];

/** Returns the faults of a file. */
export function faultsIn(file: string, faults: readonly FaultsOfText[]): readonly Fault[] {
  return faults.flatMap(([find, ...replacements]) =>
    replacements.map(([replace, ...detectedBy]) => ({ file, find, replace, detectedBy })),
  );
}

/** Returns the expression for a JSON value with sorted members. */
export function sorted(expression: string): string {
  return `JSON.parse(JSON.stringify(${expression}), (_, one) =>
    one && typeof one === 'object' && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).toSorted()) : one)`;
}
