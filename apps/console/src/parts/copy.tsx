import { T } from '../texts.ts';
import { announce } from './announce.tsx';

/** A button that copies a text. */
export function Copy({ text, of }: { readonly text: string; readonly of: string }) {
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => announce(T.copied));
  };
  return (
    <button type="button" className="link text-sm" aria-label={`${T.copy} ${of}`} onClick={copy}>
      {T.copy}
    </button>
  );
}

/** What the page shows, as one line for a terminal. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p className="mt-8 flex flex-wrap items-center gap-2 text-sm text-muted">
      {T.terminal}
      <code className="rounded bg-raised px-2 py-0.5 text-text [overflow-wrap:anywhere]">{text}</code>
      <Copy text={text} of="the command" />
    </p>
  );
}

/** Returns a text as one word of a shell: as it is, or quoted. */
export function shellWord(text: string): string {
  return /^[\w.:/@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
