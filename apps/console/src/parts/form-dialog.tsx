import type { FormEvent, ReactNode } from 'react';
import { T } from '../texts.ts';
import { InTerminal } from './copy.tsx';
import { Dialog, TextField } from './dialog.tsx';
import { ProblemView } from './problem-view.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly close: () => void;
  /** Why the operator does this, and what sets it; nothing does once it is sent. Default: it needs none. */
  readonly reason?: readonly [text: string, set?: (text: string) => void] | undefined;
  /** What becomes of the reason. */
  readonly why?: string | undefined;
  readonly stays?: string;
  /** What has happened since. */
  readonly notice?: ReactNode;
  readonly error?: Error | null;
  /** What the button that sends it says. Default: it cannot be sent any more. */
  readonly done?: string | undefined;
  readonly back?: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly send: () => void;
  /** What does the same in a terminal. */
  readonly command?: string | undefined;
  readonly children: ReactNode;
}

/** A write: what it needs, why, what stays, what went wrong, and what does the same in a terminal. */
export function FormDialog(props: FormDialogProps) {
  const { title, close, reason, why = T.whyHint, stays, notice, error, children } = props;
  const { done, back = T.close, isDanger = false, isDisabled = false, send, command } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={submit}>
        {children}
        {reason && (
          <TextField
            name={T.why}
            hint={why}
            required
            maxLength={500}
            value={reason[0]}
            set={(text) => reason[1]?.(text)}
            readOnly={reason[1] === undefined}
          />
        )}
        {stays !== undefined && <p className="mt-3 text-sm text-muted">{stays}</p>}
        {notice}
        {error && <ProblemView error={error} />}
        <div className="mt-4 flex flex-wrap gap-2">
          {done !== undefined && (
            <button
              type="submit"
              className={`button first ${isDanger ? 'border-bad! bg-bad!' : ''}`}
              disabled={isDisabled}
            >
              {done}
            </button>
          )}
          <button type="button" className="button" onClick={close}>
            {back}
          </button>
        </div>
        {command !== undefined && <InTerminal command={command} />}
      </form>
    </Dialog>
  );
}
