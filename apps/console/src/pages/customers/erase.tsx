import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import type { EmailErasure } from '../../api/types.ts';
import { endWrite, writeKey } from '../../api/write-key.ts';
import { Dialog, Field } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { T } from '../../texts.ts';
import { C } from './texts.ts';

const E = C.erase;
/** How often the status of an erasure is read, in milliseconds. */
const POLL_MS = 1000;

/** Erases a person, after a look at what goes and what stays. */
export function Erase({
  person: { owner, email },
  close,
}: {
  readonly person: { readonly owner: string; readonly email: string };
  readonly close: () => void;
}) {
  const client = useQueryClient();
  const [reason, setReason] = useDraft('reason of an erasure');
  const [typed, setTyped] = useState('');
  const erase = useMutation({
    mutationFn: () => {
      const idempotencyKey = writeKey('erasure', owner, email);
      return call<EmailErasure>('/v1/erasures', { method: 'POST', owner, reason, body: { email }, idempotencyKey });
    },
    onSuccess: () => {
      endWrite('erasure');
      setReason('');
    },
  });
  const { data: erasure } = useQuery<EmailErasure>({
    queryKey: ['erasure', erase.data?.body.id],
    enabled: erase.data !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'done' ? false : POLL_MS),
    queryFn: async ({ signal }) =>
      (await call<EmailErasure>(`/v1/erasures/${erase.data?.body.id}`, { owner, signal })).body,
  });
  const end = () => {
    if (erase.data) void client.resetQueries({ queryKey: ['person'] });
    close();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    erase.mutate();
  };
  return (
    <Dialog title={E.title} close={end}>
      <form onSubmit={submit}>
        <List name={E.goes} items={E.goesList} />
        <List name={E.stays} items={E.staysList} />
        {!erase.data && (
          <>
            <Field name={T.why} hint={T.whyHint}>
              <input
                required
                maxLength={500}
                value={reason}
                onChange={({ target }) => setReason(target.value)}
                autoComplete="off"
              />
            </Field>
            <Field name={E.confirm(email)}>
              <input required value={typed} onChange={({ target }) => setTyped(target.value)} autoComplete="off" />
            </Field>
          </>
        )}
        <p role="status" className="mt-3 min-h-5 font-medium">
          {erase.data && (erasure?.status === 'done' ? E.finished : E.pending)}
        </p>
        {erase.error && <ProblemView error={erase.error} />}
        <div className="mt-4 flex flex-wrap gap-2">
          {!erase.data && (
            <button
              type="submit"
              className="button first border-bad! bg-bad!"
              disabled={erase.isPending || typed !== email}
            >
              {E.done}
            </button>
          )}
          <button type="button" className="button" onClick={end}>
            {T.close}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function List({ name, items }: { readonly name: string; readonly items: readonly string[] }) {
  return (
    <>
      <h3 className="mt-3 text-sm font-medium">{name}</h3>
      <ul className="mt-1 list-disc pl-5 text-sm">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </>
  );
}
