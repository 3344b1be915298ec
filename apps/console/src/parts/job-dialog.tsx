import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Job } from '../api/types.ts';
import { T } from '../texts.ts';
import { useDraft } from './draft.ts';
import { FormDialog } from './form-dialog.tsx';

/** How often the progress of a job is read, in milliseconds. */
const POLL_MS = 500;

interface JobDialogProps {
  readonly kind: Job['kind'];
  readonly filter: Readonly<Record<string, unknown>>;
  readonly texts: {
    readonly title: string;
    readonly about: string;
    readonly stays: string;
    readonly found: (matched: number) => string;
    readonly start: (matched: number) => string;
    readonly running: (taken: number, matched: number) => string;
    readonly done: string;
  };
  readonly isDanger?: boolean;
  readonly close: () => void;
}

/** Acts on all that a filter matches: counts it first, then lets the job act, and shows how far it is. */
export function JobDialog({ kind, filter, texts, isDanger = false, close }: JobDialogProps) {
  const [reason, setReason] = useDraft(`reason of ${kind}`);
  const [id, setId] = useState<string>();
  const { data: job } = useQuery<Job>({
    queryKey: ['job', id],
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && ENDED.includes(state.data.status) ? false : POLL_MS),
    queryFn: async ({ signal }) => (await call<Job>(`/admin/v1/jobs/${id}`, { signal })).body,
  });
  const create = useMutation({
    mutationFn: () => call<Job>('/admin/v1/jobs', { method: 'POST', reason, body: { kind, filter, dry_run: true } }),
    onSuccess: ({ body }) => setId(body.id),
  });
  const start = useMutation({
    mutationFn: () => call<Job>(`/admin/v1/jobs/${id}/start`, { method: 'POST', reason }),
    onSuccess: () => setReason(''),
  });
  const isBusy =
    create.isPending || start.isPending || start.isSuccess || (id !== undefined && job?.status !== 'counted');
  const isOver = job !== undefined && (ENDED.includes(job.status) || (job.status === 'counted' && job.matched === 0));
  return (
    <FormDialog
      title={texts.title}
      close={close}
      reason={id === undefined ? [reason, setReason] : [reason]}
      stays={texts.stays}
      notice={
        <>
          <p role="status" className="mt-3 min-h-5 font-medium">
            {job && stateOf(job, texts)}
          </p>
          {job && job.failed > 0 && <p className="text-sm">{T.job.failed(job.failed)}</p>}
        </>
      }
      error={create.error ?? start.error}
      done={isOver ? undefined : job?.status === 'counted' ? texts.start(job.matched) : T.job.count}
      isDanger={isDanger}
      isDisabled={isBusy}
      send={() => (job?.status === 'counted' ? start : create).mutate()}
    >
      <p>{texts.about}</p>
    </FormDialog>
  );
}

const ENDED: readonly string[] = ['done', 'cancelled'];

function stateOf({ status, taken, matched }: Job, texts: JobDialogProps['texts']): string {
  if (status === 'counting') return T.job.counting;
  if (status === 'counted') return matched === 0 ? T.job.nothing : texts.found(matched);
  return status === 'running' ? texts.running(taken, matched) : texts.done;
}
