/** What a probe has seen. */
export interface Findings {
  /** That `subject` shows `what`, seen with `example`. */
  add(subject: string, what: string, example: string): void;
  /** Each once, with how often it was seen and an example. */
  all(): readonly string[];
}

export function noFindings(): Findings {
  const seen = new Map<string, { readonly example: string; count: number }>();
  return {
    add: (subject, what, example) => {
      const name = `${subject}: ${what}`;
      const known = seen.get(name) ?? { example, count: 0 };
      known.count += 1;
      seen.set(name, known);
    },
    all: () => [...seen].map(([name, { example, count }]) => `${name} (${count} times, such as ${example})`),
  };
}

/** Does `act` for all, some at the same time. */
export async function forAll<T>(all: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const work = async () => {
    // One after the other from what is left, so that nobody waits for the slowest.
    for (const each of rest) await act(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const AT_ONCE = 8;
