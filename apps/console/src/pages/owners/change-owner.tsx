import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ListedOwner } from '../../api/types.ts';
import { announce } from '../../parts/announce.tsx';
import { shellWord } from '../../parts/copy.tsx';
import { TextField } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
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
  const own = POLICIES.flatMap((policy) => (limits[policy] === '' ? [] : [[policy, Number(limits[policy])] as const]));
  const save = useMutation({
    mutationFn: () => {
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
  const commandOf = () => {
    const to = `--owner ${shellWord(owner)}`;
    const options = own.map(([policy, limit]) => ` --${policy} ${limit}`).join('');
    const why = reason === '' ? '' : ` --reason ${shellWord(reason)}`;
    const suspend =
      suspended === (set.suspended_at !== null) ? [] : [`orders ${suspended ? 'suspend' : 'resume'} ${to}${why}`];
    return [...suspend, `orders limit ${to}${options}${why}`].join(' && ');
  };
  return (
    <FormDialog
      title={`${D.title} · ${owner}`}
      close={close}
      reason={[reason, setReason]}
      why={D.why}
      error={save.error}
      done={D.done}
      send={() => save.mutate()}
      command={commandOf()}
    >
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
        <div className="grid grid-cols-3 items-end gap-x-4">
          {POLICIES.map((policy) => (
            <TextField
              key={policy}
              name={D[policy]}
              type="number"
              min={0}
              max={1_000_000_000}
              value={limits[policy]}
              set={(text) => setLimits({ ...limits, [policy]: text })}
            />
          ))}
        </div>
        <p className="mt-1 text-xs text-muted">{D.limitsHint}</p>
      </fieldset>
    </FormDialog>
  );
}
