/** A member that occurs twice. */
export interface DuplicateMember {
  /** The names and indexes of the members that lead to it. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Matches the strings and the punctuation between values of a JSON text, and its ends of lines. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},\n]/g;

/** An object or array whose end has not come yet. */
interface Open {
  /** The line of each member so far; `null` for an array. */
  readonly lines: Map<string, number> | null;
  /** The name of the current member. */
  name: string;
  /** The index of the current element. */
  index: number;
  expectsName: boolean;
}

/**
 * Returns the first member whose object has had its name before: `JSON.parse` keeps the last alone. The text must be valid
 * JSON. Takes linear time. `first` is the number of its first line.
 */
export function findDuplicateMember(json: string, first = 1): DuplicateMember | undefined {
  const opened: Open[] = [];
  let line = first;
  for (const [token] of json.matchAll(TOKENS)) {
    const current = opened.at(-1);
    if (token === '\n') {
      line += 1;
    } else if (token === '{' || token === '[') {
      const isObject = token === '{';
      opened.push({ lines: isObject ? new Map() : null, name: '', index: 0, expectsName: isObject });
    } else if (token === '}' || token === ']') {
      opened.pop();
    } else if (token === ',' && current) {
      current.index += 1;
      current.expectsName = current.lines !== null;
    } else if (current?.lines && current.expectsName) {
      // Escapes can spell the same name in different ways.
      current.name = String(JSON.parse(token));
      current.expectsName = false;
      const before = current.lines.get(current.name);
      if (before === undefined) current.lines.set(current.name, line);
      else return { path: opened.map(stepTo), message: `must occur once, got it on line ${before} and line ${line}` };
    }
  }
  return undefined;
}

function stepTo({ lines, name, index }: Open): string {
  return lines ? name : String(index);
}
