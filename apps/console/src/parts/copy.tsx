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
export function Command({ text, name = T.terminal }: { readonly text: string; readonly name?: string }) {
  return (
    <p className="mt-8 flex flex-wrap items-center gap-2 text-sm text-muted">
      {name}
      <code className="rounded bg-raised px-2 py-0.5 text-text [overflow-wrap:anywhere]">{text}</code>
      <Copy text={text} of="the command" />
    </p>
  );
}

/** What a dialog does, as a command that is shown on request. */
export function InTerminal({ command }: { readonly command: string }) {
  return (
    <details className="mt-5 text-xs">
      <summary className="link">{T.inTerminal}</summary>
      <code className="my-1 block rounded bg-raised px-2 py-1 text-xs [overflow-wrap:anywhere]">{command}</code>
      <Copy text={command} of="the command" />
    </details>
  );
}

interface ShownRequest {
  readonly url: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly owner: string;
  readonly reason: string;
  readonly body?: unknown;
}

/** Returns a request as a command. `$SESSION` is the token of a session, which no page shows. */
export function curlOf({ url, method, owner, reason, body }: ShownRequest): string {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = [`Orders-Owner: ${owner}`, `Orders-Reason: ${encodeURIComponent(reason)}`];
  if (body !== undefined) headers.push(`Content-Type: ${type}`);
  const words = headers.flatMap((header) => ['-H', shellWord(header)]).join(' ');
  return `curl -X ${method} ${location.origin}${url} -H "Authorization: Bearer $SESSION" ${words}${body === undefined ? '' : ` -d ${shellWord(JSON.stringify(body))}`}`;
}

/** Returns a text as one word of a shell: as it is, or quoted. */
export function shellWord(text: string): string {
  return /^[\w.:/@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
