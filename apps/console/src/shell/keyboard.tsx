import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { T } from '../texts.ts';
import { PLACES } from './places.ts';

/** How long after `g` the letter of a place counts, in milliseconds. */
const CHORD_MS = 1500;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.closest('input, select, textarea, dialog') !== null || target.isContentEditable)
  );
}

/** Focuses the row beside the focused one, or the first. */
function move(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}

/** Focuses what changes the list that the page shows. */
function filter(): void {
  const found = document.querySelector<HTMLElement>('[data-filter]');
  if (found instanceof HTMLDetailsElement) found.open = true;
  found?.querySelector<HTMLElement>('input, select')?.focus();
}

/** The keys of the whole console, and the dialog that lists them. */
export function Keyboard() {
  const navigate = useNavigate();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let goUntil = 0;
    const pressed = (event: KeyboardEvent) => {
      const { key, target, altKey, ctrlKey, metaKey, timeStamp } = event;
      if (altKey || ctrlKey || metaKey || isTyping(target)) return;
      const place = timeStamp < goUntil ? PLACES.find((each) => each.key === key)?.to : undefined;
      goUntil = key === 'g' ? timeStamp + CHORD_MS : 0;
      if (place !== undefined) void navigate({ to: place });
      else if (key === '?') setShown(true);
      else if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
      else if (key === 'f') filter();
      else if (key === 'a') document.querySelector<HTMLElement>('[data-act]')?.focus();
      else if (key === '/') document.querySelector<HTMLElement>('#find')?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [navigate]);
  if (!isShown) return null;
  return (
    <Dialog title={T.keys.title} close={() => setShown(false)}>
      <dl className="grid grid-cols-[80px_1fr] gap-2">
        {[...T.keys.rows, ...PLACES.map((each) => [`g ${each.key}`, each.name] as const)].map(([keys, about]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <button type="button" className="button mt-5" onClick={() => setShown(false)}>
        {T.close}
      </button>
    </Dialog>
  );
}
