import { useSyncExternalStore } from 'react';

/** How long a message is shown, in milliseconds. */
const SHOWN_MS = 4000;

let message = '';
let ends: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Shows a message at the edge of the window for a few seconds, and reads it to those who do not see it. */
export function announce(text: string): void {
  clearTimeout(ends);
  ends = setTimeout(() => show(''), SHOWN_MS);
  show(text);
}

function show(text: string): void {
  message = text;
  for (const listener of listeners) listener();
}

/** The region in which messages are shown. */
export function Announcements() {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => message,
  );
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-6 z-10 flex justify-center px-4">
      {text !== '' && <span className="rounded-lg bg-text px-4 py-2 text-sm font-medium text-ground">{text}</span>}
    </div>
  );
}
