import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../api/call.ts';
import type { EndpointHealth, RotatedEndpoint, WebhookTest } from '../../api/types.ts';
import { endWrite, writeKey } from '../../api/write-key.ts';
import { Copy, curlOf, InTerminal } from '../../parts/copy.tsx';
import { Dialog, Field } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.ts';
import { words } from '../../parts/format.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Status } from '../../parts/status.tsx';
import { T } from '../../texts.ts';
import { W } from './texts.ts';

/** What is done to one endpoint. */
export type EndpointAct = 'test' | 'rotate';

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
    <Dialog title={`${W.test.title} · ${url} · ${owner}`} close={close}>
      <Form
        texts={W.test}
        {...{ reason, setReason, send: mutate, isPending, error, close }}
        command={`ORDERS_API_KEY="$KEY" orders webhooks test ${id}`}
      >
        <p role="status" className="mt-3 min-h-5 font-medium">
          {!isPending && data && <Response test={data.body} />}
        </p>
      </Form>
    </Dialog>
  );
}

function Response({ test: { status, error, duration_ms: ms } }: { readonly test: WebhookTest }) {
  if (error === null) return <Status shape="done">{W.test.accepted(status, ms)}</Status>;
  return <Status shape="wrong">{W.test.refused(status === null ? words(error) : `HTTP ${status}`, ms)}</Status>;
}

/** Makes a new secret of an endpoint, which is in this dialog alone. */
export function RotateSecret({ endpoint: { id, owner, url }, close }: EndpointDialogProps) {
  const [reason, setReason] = useDraft(`reason rotate ${id}`);
  const [hours, setHours] = useState('24');
  const path = `/v1/webhook_endpoints/${id}/secrets`;
  const body = { overlap_seconds: Number(hours) * 3600 };
  const { mutate, data, error, isPending } = useMutation({
    gcTime: 0,
    mutationFn: () =>
      call<RotatedEndpoint>(path, { method: 'POST', owner, reason, body, idempotencyKey: writeKey(path, body) }),
    onSuccess: () => {
      endWrite(path);
      setReason('');
    },
  });
  return (
    <Dialog title={`${W.rotate.title} · ${url} · ${owner}`} close={close} isHeld={data !== undefined}>
      {data ? (
        <>
          <p className="text-sm font-medium">{W.rotate.secret}</p>
          <p role="status" className="my-2 rounded bg-raised p-3">
            <code className="[overflow-wrap:anywhere]">{data.body.secret}</code>
          </p>
          <Copy text={data.body.secret} of="the secret" />
          <p className="mt-3 text-sm text-muted">{W.rotate.once}</p>
          <button type="button" className="button first mt-4" onClick={close}>
            {W.rotate.stored}
          </button>
        </>
      ) : (
        <Form
          texts={W.rotate}
          {...{ reason, setReason, send: mutate, isPending, error, close }}
          command={curlOf({ url: path, method: 'POST', owner, reason, body })}
        >
          <Field name={W.rotate.overlap} hint={W.rotate.overlapHint}>
            <input type="number" min={0} required value={hours} onChange={({ target }) => setHours(target.value)} />
          </Field>
        </Form>
      )}
    </Dialog>
  );
}

interface FormProps {
  readonly texts: { readonly about: string; readonly why: string; readonly done: string };
  readonly reason: string;
  readonly setReason: (reason: string) => void;
  readonly send: () => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly command: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

function Form({ texts, reason, setReason, send, isPending, error, command, close, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <p>{texts.about}</p>
      <Field name={T.why} hint={texts.why}>
        <input
          required
          maxLength={500}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          autoComplete="off"
        />
      </Field>
      {children}
      {error && <ProblemView error={error} />}
      <div className="mt-4 flex flex-wrap gap-2">
        <button type="submit" className="button first" disabled={isPending}>
          {texts.done}
        </button>
        <button type="button" className="button" onClick={close}>
          {T.close}
        </button>
      </div>
      <InTerminal command={command} />
    </form>
  );
}
