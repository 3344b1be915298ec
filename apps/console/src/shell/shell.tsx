import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { useOperator } from '../api/queries.ts';
import { keepSession, useSessionToken } from '../api/session.ts';
import { Announcements } from '../parts/announce.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Status } from '../parts/status.tsx';
import { fieldOf, leaveField } from '../parts/url.ts';
import { T } from '../texts.ts';
import { keepText } from '../api/kept-text.ts';
import { Keyboard } from './keyboard.tsx';
import { PLACES } from './places.ts';
import { PasteLink, SignIn, useLink } from './sign-in.tsx';

/** What is around every page. The page stays while a session has ended, with what was typed on it. */
export function Shell() {
  const [token, link] = [useSessionToken(), useLink()];
  const [wasSignedIn, setSignedIn] = useState(token !== null);
  const { isDown } = useOperator();
  const client = useQueryClient();
  useEffect(() => {
    if (token === null) return;
    setSignedIn(true);
    void client.invalidateQueries();
  }, [token, client]);
  if (link !== undefined || (token === null && !wasSignedIn)) return <SignIn />;
  return (
    <>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-10 focus:bg-surface focus:p-3"
        onClick={skip}
      >
        {T.skip}
      </a>
      <Bar onSignOut={() => setSignedIn(false)} />
      <main id="content" tabIndex={-1} className="mx-auto max-w-[1080px] px-4 pt-6 pb-20 outline-none! md:px-6">
        <div role="status">
          {isDown && (
            <p className="panel sticky top-2 z-10 mb-4 px-4 py-3">
              <Status shape="wrong">{T.down}</Status>
            </p>
          )}
        </div>
        <fieldset disabled={isDown} className="contents">
          <Outlet />
        </fieldset>
      </main>
      <Keyboard />
      <Announcements />
      {token === null && (
        <Dialog title={T.signIn.expired} close={() => undefined}>
          <p>{T.signIn.kept}</p>
          <PasteLink />
        </Dialog>
      )}
    </>
  );
}

/** Focuses the content. A fragment would be another page. */
function skip(event: { readonly preventDefault: () => void }): void {
  event.preventDefault();
  leaveField();
}

function Bar({ onSignOut }: { readonly onSignOut: () => void }) {
  const { session } = useOperator();
  const client = useQueryClient();
  const signOut = () => {
    onSignOut();
    void call('/admin/v1/session', { method: 'DELETE' }).finally(() => {
      keepSession(null);
      sessionStorage.clear();
      client.clear();
    });
  };
  return (
    <header className="flex flex-wrap items-center gap-x-4 border-b border-line bg-surface px-4 py-2 md:flex-nowrap md:px-6">
      <svg viewBox="0 0 20 20" role="img" aria-label={T.console} className="size-5 flex-none">
        <path d="M3 4h14v12H3z" fill="none" stroke="currentColor" strokeWidth="1.6" />
        <path d="M6.5 8h7M6.5 12h4" stroke="currentColor" strokeWidth="1.6" />
      </svg>
      <FindBox />
      <nav
        aria-label={T.console}
        className="order-last -mx-1 flex w-full gap-x-3 overflow-x-auto px-1 pt-1 text-sm md:order-none md:w-auto md:gap-x-4 md:text-base md:pt-0"
      >
        {PLACES.map(({ to, name }) => (
          <Link
            key={to}
            to={to}
            className="py-1 text-muted aria-[current]:font-medium aria-[current]:text-text"
            activeOptions={{ includeSearch: false }}
          >
            {name}
          </Link>
        ))}
      </nav>
      {session && (
        <p className="ml-auto flex items-center gap-3 text-sm text-muted">
          <span className="hidden md:inline">
            {session.name} · {session.role}
          </span>
          <button type="button" className="link whitespace-nowrap" onClick={signOut}>
            {T.signOut}
          </button>
        </p>
      )}
    </header>
  );
}

/** One box for all that finds an order. What it is, the page that it leads to finds out. */
function FindBox() {
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = fieldOf(new FormData(event.currentTarget), 'find');
    if (text === undefined) return;
    void navigate({ to: '/find', search: { text: keepText(text) } });
    leaveField();
  };
  return (
    <form role="search" className="relative min-w-0 flex-1 md:max-w-[420px]" onSubmit={submit}>
      <input
        id="find"
        name="find"
        type="search"
        aria-label={T.find}
        placeholder={T.findHint}
        autoComplete="off"
        spellCheck={false}
        onFocus={({ target }) => target.select()}
        className="bg-ground pr-9 placeholder:text-muted"
      />
      <kbd aria-hidden="true" className="absolute top-2 right-2.5 hidden md:block">
        /
      </kbd>
    </form>
  );
}
