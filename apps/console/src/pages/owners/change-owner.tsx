import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import type { ListedOwner } from '../../api/types.ts';
import { announce } from '../../parts/announce.tsx';
import { Dialog, Field } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { T } from '../../texts.ts';
import { N } from './texts.ts';

const D = N.dialog;
const POLICIES = ['read', 'write', 'batch'] as const;

/** Suspends or limits an owner, or ends it. */
export function ChangeOwner({
  owner: { owner, ...set },
  close,
}: {
  readonly owner: ListedOwner;
  readonly close: () => void;
}) {
  const client = useQueryClient();
  const [reason, setReason] = useDraft(`reason owner ${owner}`);
  const [suspended, setSuspended] = useState(set.suspended_at !== null);
  const [limits, setLimits] = useState(() =>
    Object.fromEntries(POLICIES.map((policy) => [policy, set.rate_limits?.[policy]?.toString() ?? ''])),
  );
  const save = useMutation({
    mutationFn: () => {
      const own = POLICIES.flatMap((policy) => (limits[policy] === '' ? [] : [[policy, Number(limits[policy])]]));
      const rate_limits: unknown = own.length === 0 ? null : Object.fromEntries(own);
      return call('/admin/v1/owner_changes', { method: 'POST', reason, body: { owner, suspended, rate_limits } });
    },
    onSuccess: async () => {
      announce(D.saved);
      setReason('');
      close();
      await client.invalidateQueries({ queryKey: ['owners'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog title={`${D.title} · ${owner}`} close={close}>
      <form onSubmit={submit}>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="w-auto!"
            checked={suspended}
            onChange={({ target }) => setSuspended(target.checked)}
          />
          {D.suspend}
        </label>
        <p className="mt-1 text-xs text-muted">{D.suspendHint}</p>
        <fieldset className="mt-4">
          <legend className="text-sm font-medium">{D.limits}</legend>
          <div className="grid grid-cols-3 gap-x-4">
            {POLICIES.map((policy) => (
              <Field key={policy} name={D[policy]}>
                <input
                  type="number"
                  min={0}
                  max={1_000_000_000}
                  value={limits[policy]}
                  onChange={({ target }) => setLimits({ ...limits, [policy]: target.value })}
                />
              </Field>
            ))}
          </div>
          <p className="mt-1 text-xs text-muted">{D.limitsHint}</p>
        </fieldset>
        <Field name={T.why} hint={T.whyHint}>
          <input
            required
            maxLength={500}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            autoComplete="off"
          />
        </Field>
        {save.error && <ProblemView error={save.error} />}
        <div className="mt-4 flex flex-wrap gap-2">
          <button type="submit" className="button first" disabled={save.isPending}>
            {D.done}
          </button>
          <button type="button" className="button" onClick={close}>
            {T.close}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
