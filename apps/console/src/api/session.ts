import { useSyncExternalStore } from 'react';

/** Where the token of the session is. A page of another origin cannot read it, and no request sends it by itself. */
const KEY = 'orders-session';
/** Who uses this tab. */
const OPERATOR = 'operator';
const CHANGED = 'orders-session-changed';

/** Returns the token of the session; `null` if no one is signed in. */
export function sessionToken(): string | null {
  return localStorage.getItem(KEY);
}

/** Keeps the token of a session for all tabs of the console, or ends it. */
export function keepSession(token: string | null): void {
  if (token === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, token);
  dispatchEvent(new Event(CHANGED));
}

/** Records who uses this tab, whose typed texts it keeps. Returns whether that was another operator before. */
export function isOtherOperator(id: string): boolean {
  const before = sessionStorage.getItem(OPERATOR);
  if (before !== null && before !== id) sessionStorage.clear();
  sessionStorage.setItem(OPERATOR, id);
  return before !== id;
}

/** Returns the token, and renders again when this tab or another one signs in or out. */
export function useSessionToken(): string | null {
  return useSyncExternalStore(subscribe, sessionToken);
}

function subscribe(changed: () => void): () => void {
  for (const name of [CHANGED, 'storage']) addEventListener(name, changed);
  return () => {
    for (const name of [CHANGED, 'storage']) removeEventListener(name, changed);
  };
}
