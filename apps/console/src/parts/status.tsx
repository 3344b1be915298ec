import type { ReactNode } from 'react';

/** What a status says at a glance: done, partly done, open, wrong, or at its end. */
export type Shape = 'done' | 'half' | 'open' | 'wrong' | 'end';

const DRAWN: Readonly<Record<Shape, readonly [color: string, drawing: ReactNode]>> = {
  done: ['text-good', <circle key="" cx="5" cy="5" r="5" fill="currentColor" />],
  half: [
    'text-warn',
    <g key="">
      <path d="M5 0a5 5 0 0 1 0 10z" fill="currentColor" />
      <circle cx="5" cy="5" r="4.2" fill="none" stroke="currentColor" strokeWidth="1.6" />
    </g>,
  ],
  open: ['text-text', <circle key="" cx="5" cy="5" r="4" fill="none" stroke="currentColor" strokeWidth="2" />],
  wrong: ['text-bad', <path key="" d="M5 0.5 10 9.5H0z" fill="currentColor" />],
  end: ['text-muted', <path key="" d="M1 1l8 8M9 1l-8 8" stroke="currentColor" strokeWidth="2" />],
};

/** A shape in its colour. The word beside it says the same. */
export function Mark({ shape }: { readonly shape: Shape }) {
  const [color, drawing] = DRAWN[shape];
  return (
    <svg viewBox="0 0 10 10" aria-hidden="true" className={`mt-[5px] size-2.5 flex-none ${color}`}>
      {drawing}
    </svg>
  );
}

/** A status: a shape and a word, never colour alone. */
export function Status({ shape, children }: { readonly shape: Shape; readonly children: ReactNode }) {
  return (
    <span className="inline-flex items-start gap-1.5">
      <Mark shape={shape} />
      <span>{children}</span>
    </span>
  );
}
