import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { EmailErasure } from '../../api/types.ts';
import { endWrite, writeKey } from '../../api/write-key.ts';
import { shellWord } from '../../parts/copy.tsx';
import { TextField } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
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
  const isSent = erase.data !== undefined;
  return (
    <FormDialog
      title={`${E.title} · ${email} · ${owner}`}
      close={end}
      reason={isSent ? undefined : [reason, setReason]}
      why={E.why}
      notice={
        <p role="status" className="mt-3 min-h-5 font-medium">
          {isSent && (erasure?.status === 'done' ? E.finished : E.pending)}
        </p>
      }
      error={erase.error}
      done={isSent ? undefined : E.done}
      isDanger
      isDisabled={typed !== email}
      send={() => erase.mutate()}
      command={`orders persons erase ${shellWord(email)} --owner ${shellWord(owner)}`}
    >
      <List name={E.goes} items={E.goesList} />
      <List name={E.stays} items={E.staysList} />
      {!isSent && <TextField name={E.confirm(email)} required value={typed} set={setTyped} />}
    </FormDialog>
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
