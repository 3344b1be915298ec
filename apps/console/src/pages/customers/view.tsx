import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import { useOperator } from '../../api/queries.ts';
import { keepOwners } from '../../api/known-owners.ts';
import type { PersonData } from '../../api/types.ts';
import { Command, shellWord } from '../../parts/copy.tsx';
import { Field } from '../../parts/dialog.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { fieldOf, leaveField } from '../../parts/url.ts';
import { T } from '../../texts.ts';
import { Erase } from './erase.tsx';
import { Stored } from './stored.tsx';
import { C } from './texts.ts';

/** A person, as one owner knows it. */
export interface Person {
  readonly owner: string;
  readonly email: string;
}

function useStored(person: Person | undefined) {
  return useInfiniteQuery<PersonData, Error, InfiniteData<PersonData>, readonly unknown[], string | undefined>({
    queryKey: ['person', person],
    enabled: person !== undefined,
    // Each reading is recorded.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    initialPageParam: undefined,
    queryFn: async ({ signal, pageParam: after }) => {
      const body = { email: person?.email, limit: 100, after };
      const read = await call<PersonData>('/v1/person_data', { method: 'POST', owner: person?.owner, body, signal });
      const orders = read.body.data.flatMap((line) =>
        line.kind === 'order' ? [{ id: line.id, owner: person?.owner ?? '' }] : [],
      );
      keepOwners(orders);
      return read.body;
    },
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
}

/** What an owner has of one person, and its erasure. The email is in no URL. */
export function CustomersPage() {
  const { session, may } = useOperator();
  const [person, setPerson] = useState<Person>();
  const [isOpen, open] = useState(false);
  const stored = useStored(person);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [owner, email] = [fieldOf(form, 'owner'), fieldOf(form, 'email')];
    if (owner === undefined || email === undefined) return;
    setPerson({ owner, email });
    leaveField();
  };
  const lines = stored.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <title>{`${T.places.customers} · ${T.console}`}</title>
      <h1>{T.places.customers}</h1>
      <p className="mt-1 max-w-[640px] text-muted">{session && !may('list_person_data') ? C.noRole : C.about}</p>
      {may('list_person_data') && (
        <form
          onSubmit={submit}
          data-filter
          className="mt-2 mb-6 grid items-end gap-x-4 md:grid-cols-[220px_320px_auto]"
        >
          <Field name={C.owner}>
            <input name="owner" required autoComplete="off" />
          </Field>
          <Field name={C.email}>
            <input name="email" type="email" required autoComplete="off" />
          </Field>
          <div className="mt-3">
            <button type="submit" className="button">
              {C.show}
            </button>
          </div>
        </form>
      )}
      {stored.error && <ProblemView error={stored.error} retry={() => void stored.refetch()} />}
      {stored.isLoading && <Skeleton rows={5} />}
      {stored.data && person && (
        <>
          <p className="mb-4 flex flex-wrap items-center gap-3">
            {lines.length > 0 && may('erase_person') && (
              <button type="button" data-act className="button danger" onClick={() => open(true)}>
                {C.erase.open}
              </button>
            )}
            <span className="text-xs text-muted">
              {stored.hasNextPage && `${C.further} `}
              {C.recorded}
            </span>
          </p>
          <Stored lines={lines} />
          {stored.hasNextPage && (
            <button type="button" className="button mt-4" onClick={() => void stored.fetchNextPage()}>
              {C.more}
            </button>
          )}
          <Command text={`orders person-data ${shellWord(person.email)} --owner ${shellWord(person.owner)}`} />
        </>
      )}
      {isOpen && person && <Erase person={person} close={() => open(false)} />}
    </>
  );
}
