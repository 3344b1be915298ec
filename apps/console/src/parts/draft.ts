import { useState } from 'react';

/** Returns a text that survives a reload of the tab, and the function that sets it; an empty one is discarded. */
export function useDraft(key: string, initial = ''): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(`draft ${key}`) ?? initial);
  const set = (next: string) => {
    if (next === '') sessionStorage.removeItem(`draft ${key}`);
    else sessionStorage.setItem(`draft ${key}`, next);
    setText(next);
  };
  return [text, set];
}

/** Returns the texts of a form, kept as those of `useDraft`, what sets one of them, and what discards all. */
export function useFields<Name extends string>(key: string, initial: Readonly<Record<Name, string>>) {
  const [kept, keep] = useDraft(key);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below
  const typed = (kept === '' ? {} : JSON.parse(kept)) as Readonly<Partial<Record<Name, string>>>;
  const fields = { ...initial, ...typed };
  const set = (name: Name, text: string) => keep(JSON.stringify({ ...typed, [name]: text }));
  const field = (name: Name) => ({ value: fields[name], set: (text: string) => set(name, text) });
  return { fields, set, field, discard: () => keep('') };
}
