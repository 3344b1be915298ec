/** Findings of a probe. */
export interface Findings {
  /** Adds that `subject` shows `what`, with an example. */
  add(subject: string, what: string, example: string): void;
  /** Returns each finding once, with its count and an example. */
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

/** Runs `act` for all elements, with limited concurrency. */
export async function forAll<T>(all: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const work = async () => {
    // Workers share one queue, so that none waits for the slowest.
    for (const each of rest) await act(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const AT_ONCE = 8;
