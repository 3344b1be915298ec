import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { call } from '../api/call.ts';
import { isOtherOperator, keepSession } from '../api/session.ts';
import { Copy } from '../parts/copy.tsx';
import { Field } from '../parts/dialog.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { T } from '../texts.ts';

const IN_LINK = /#sign-in=(ops_[\w-]+)$/;
/** The token of the link that this tab was opened by, until it is used. */
let ofLink: string | undefined;
const listeners = new Set<() => void>();

function keepLink(token: string | undefined): void {
  ofLink = token;
  for (const listener of listeners) listener();
}

/** Takes the token out of the URL, so that no history has it. */
function takeLink(): void {
  const token = IN_LINK.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', '#/');
  keepLink(token);
}
takeLink();
// Opened in a tab of the console, a link changes nothing but the fragment. This listener comes before that of the router.
addEventListener('popstate', takeLink);

/** Returns the token of a link that this tab was opened by, and has not used yet. */
export function useLink(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => ofLink,
  );
}

function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => call<{ id: string; token: string }>('/admin/v1/sessions', { method: 'POST', token }),
    onSuccess: async ({ body }) => {
      const isOther = isOtherOperator(body.id);
      keepSession(body.token);
      keepLink(undefined);
      // What one operator has read and typed is not for another one.
      if (isOther) await client.resetQueries();
    },
  });
}

/** The page of everyone who is not signed in. A link is exchanged by a button: what only fetches it does not use it up. */
export function SignIn() {
  const signIn = useSignIn();
  const token = useLink();
  return (
    <main className="mx-auto max-w-[520px] px-4 py-16">
      <h1>{T.console}</h1>
      {signIn.isError && <ProblemView error={signIn.error} />}
      {token !== undefined && !signIn.isError ? (
        <>
          <p className="mt-3">{T.signIn.withLink}</p>
          <button
            type="button"
            className="button first mt-5"
            disabled={signIn.isPending}
            onClick={() => signIn.mutate(token)}
          >
            {T.signIn.button}
          </button>
        </>
      ) : (
        <>
          <p className="mt-3">{T.signIn.without}</p>
          <CommandBox text={T.signIn.command} />
          <p className="mt-4 text-muted">{T.signIn.another}</p>
          <CommandBox text={T.signIn.linkCommand} />
          <PasteLink />
        </>
      )}
    </main>
  );
}

function CommandBox({ text }: { readonly text: string }) {
  return (
    <p className="panel mt-2 flex items-center justify-between gap-3 px-3 py-2">
      <code className="[overflow-wrap:anywhere]">{text}</code>
      <Copy text={text} of="the command" />
    </p>
  );
}

/** Signs in by a pasted link, such as after a session has ended. */
export function PasteLink() {
  const signIn = useSignIn();
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(IN_LINK.exec(text.trim())?.[1] ?? text.trim());
  };
  return (
    <form onSubmit={submit} className="mt-6">
      <Field name={T.signIn.paste}>
        <input
          required
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Field>
      {signIn.isError && <ProblemView error={signIn.error} />}
      <button type="submit" className="button first mt-4" disabled={signIn.isPending}>
        {T.signIn.title}
      </button>
    </form>
  );
}
