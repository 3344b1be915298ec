import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { EndpointHealth, RotatedEndpoint, WebhookTest } from '../../api/types.ts';
import { endWrite, writeKey } from '../../api/write-key.ts';
import { announce } from '../../parts/announce.tsx';
import { Copy, curlOf } from '../../parts/copy.tsx';
import { Dialog, TextField } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { words } from '../../parts/format.ts';
import { Status } from '../../parts/status.tsx';
import { W } from './texts.ts';

/** What is done to one endpoint. */
export type EndpointAct = 'resume' | 'test' | 'rotate';

interface EndpointDialogProps {
  readonly endpoint: EndpointHealth;
  readonly close: () => void;
}

/** Sends a test message to an endpoint, and shows how it responded. */
export function TestEndpoint({ endpoint: { id, owner, url }, close }: EndpointDialogProps) {
  const [reason, setReason] = useDraft(`reason test ${id}`);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => call<WebhookTest>(`/v1/webhook_endpoints/${id}/tests`, { method: 'POST', owner, reason }),
  });
  return (
    <FormDialog
      title={`${W.test.title} · ${url} · ${owner}`}
      close={close}
      reason={[reason, setReason]}
      why={W.test.why}
      error={error}
      done={W.test.done}
      send={mutate}
      notice={
        <p role="status" className="mt-3 min-h-5 font-medium">
          {!isPending && data && <Response test={data.body} />}
        </p>
      }
      command={`ORDERS_API_KEY="$KEY" orders webhooks test ${id}`}
    >
      <p>{W.test.about}</p>
    </FormDialog>
  );
}

function Response({ test: { status, error, duration_ms: ms } }: { readonly test: WebhookTest }) {
  if (error === null) return <Status shape="done">{W.test.accepted(status, ms)}</Status>;
  return <Status shape="wrong">{W.test.refused(status === null ? words(error) : `HTTP ${status}`, ms)}</Status>;
}

/** Lets an endpoint that failed, or was disabled, get what it missed at once. */
export function ResumeEndpoint({ endpoint: { id, owner, url }, close }: EndpointDialogProps) {
  const client = useQueryClient();
  const [reason, setReason] = useDraft(`reason resume ${id}`);
  const [path, body] = [`/v1/webhook_endpoints/${id}`, { status: 'enabled' }];
  const { mutate, error } = useMutation({
    mutationFn: () =>
      call(path, { method: 'PATCH', owner, reason, body, idempotencyKey: writeKey(`resume ${id}`, reason) }),
    onSuccess: async () => {
      endWrite(`resume ${id}`);
      announce(W.resume.sent);
      setReason('');
      close();
      await Promise.all(['endpoints', 'deliveries'].map((name) => client.invalidateQueries({ queryKey: [name] })));
    },
  });
  return (
    <FormDialog
      title={`${W.resume.title} · ${url} · ${owner}`}
      close={close}
      reason={[reason, setReason]}
      error={error}
      done={W.resume.done}
      send={mutate}
      command={curlOf({ url: path, method: 'PATCH', owner, reason, body })}
    >
      <p>{W.resume.about}</p>
    </FormDialog>
  );
}

/** Makes a new secret of an endpoint, which is in this dialog alone. */
export function RotateSecret({ endpoint: { id, owner, url }, close }: EndpointDialogProps) {
  const [reason, setReason] = useDraft(`reason rotate ${id}`);
  const [hours, setHours] = useState('24');
  const path = `/v1/webhook_endpoints/${id}/secrets`;
  const body = { overlap_seconds: Number(hours) * 3600 };
  const { mutate, data, error } = useMutation({
    gcTime: 0,
    mutationFn: () =>
      call<RotatedEndpoint>(path, { method: 'POST', owner, reason, body, idempotencyKey: writeKey(path, body) }),
    onSuccess: () => {
      endWrite(path);
      setReason('');
    },
  });
  const title = `${W.rotate.title} · ${url} · ${owner}`;
  if (data) {
    return (
      <Dialog title={title} close={close} isHeld>
        <p className="text-sm font-medium">{W.rotate.secret}</p>
        <p role="status" className="my-2 rounded bg-raised p-3">
          <code className="[overflow-wrap:anywhere]">{data.body.secret}</code>
        </p>
        <Copy text={data.body.secret} of="the secret" />
        <p className="mt-3 text-sm text-muted">{W.rotate.once}</p>
        <button type="button" className="button first mt-4" onClick={close}>
          {W.rotate.stored}
        </button>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={title}
      close={close}
      reason={[reason, setReason]}
      why={W.rotate.why}
      error={error}
      done={W.rotate.done}
      send={mutate}
      command={curlOf({ url: path, method: 'POST', owner, reason, body })}
    >
      <p>{W.rotate.about}</p>
      <TextField
        name={W.rotate.overlap}
        hint={W.rotate.overlapHint}
        type="number"
        min={0}
        required
        value={hours}
        set={setHours}
      />
    </FormDialog>
  );
}
