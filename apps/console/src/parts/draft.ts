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
