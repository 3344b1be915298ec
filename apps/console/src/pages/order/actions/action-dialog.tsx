import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../../api/call.ts';
import { Problem } from '../../../api/problem.ts';
import type { Order } from '../../../api/types.ts';
import { endWrite, writeKey } from '../../../api/write-key.ts';
import { announce } from '../../../parts/announce.tsx';
import { curlOf } from '../../../parts/copy.tsx';
import { useDraft } from '../../../parts/draft.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { T } from '../../../texts.ts';
import { Conflict } from './conflict.tsx';
import { A } from './texts.ts';

/** What every action needs of the order that it changes. */
export interface ActionProps {
  readonly order: Order;
  readonly etag: string | undefined;
  readonly owner: string;
  readonly close: () => void;
}

interface ActionDialogProps extends ActionProps {
  readonly texts: { readonly title: string; readonly done: string; readonly stays: string; readonly why?: string };
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  /** What follows the path of the order. */
  readonly path: string;
  /** What precedes it. Default: `/v1`. */
  readonly root?: string;
  readonly body?: unknown;
  /** Returns the command of a terminal that does the same, of what the operator says why. Default: the request. */
  readonly commandOf?: ((reason: string) => string) | undefined;
  readonly isDanger?: boolean;
  /** Whether it cannot be sent yet. */
  readonly isDisabled?: boolean;
  /** The reason of what is one itself, which changes no version of the order. Default: the operator gives one. */
  readonly ownReason?: string;
  /** Discards what was typed, once it is saved. */
  readonly discard: () => void;
  readonly children: ReactNode;
}

/**
 * A change of an order: what it needs, why, and what does the same in a terminal. It is sent for the version that the operator
 * has seen, and under one idempotency key for as long as it stays the same.
 */
export function ActionDialog(props: ActionDialogProps) {
  const { order, etag, owner, close, texts, method = 'POST', path, body, isDanger = false, discard, children } = props;
  const client = useQueryClient();
  const [typed, setReason] = useDraft(`reason ${order.id} ${path}`);
  const reason = props.ownReason ?? typed;
  const [seen, setSeen] = useState({ version: order.version, etag });
  const url = `${props.root ?? '/v1'}/orders/${order.id}${path}`;
  const save = useMutation({
    mutationFn: () => {
      const idempotencyKey = writeKey(url, body, reason, seen.version);
      const ifMatch = props.ownReason === undefined ? seen.etag : undefined;
      return call(url, { method, owner, reason, body, ifMatch, idempotencyKey });
    },
    onError: async (error) => {
      if (error instanceof Problem && error.code === 'precondition_failed') await refresh();
    },
    onSuccess: async () => {
      announce(A.saved);
      endWrite(url);
      discard();
      setReason('');
      close();
      await refresh();
    },
  });
  const refresh = () =>
    Promise.all(['order', 'timeline'].map((name) => client.invalidateQueries({ queryKey: [name, order.id] })));
  const isStale = order.version !== seen.version;
  return (
    <FormDialog
      title={`${texts.title} · ${order.reference ?? order.id}`}
      close={close}
      reason={props.ownReason === undefined ? [typed, setReason] : undefined}
      why={texts.why}
      stays={texts.stays}
      notice={
        isStale &&
        save.isError && (
          <Conflict
            orderId={order.id}
            since={seen.version}
            load={() => {
              setSeen({ version: order.version, etag });
              save.reset();
            }}
          />
        )
      }
      error={isStale ? null : save.error}
      done={texts.done}
      back={T.back}
      isDanger={isDanger}
      isDisabled={props.isDisabled === true || (isStale && save.isError)}
      send={() => save.mutate()}
      command={props.commandOf?.(reason) ?? curlOf({ url, method, owner, reason, body })}
    >
      {children}
    </FormDialog>
  );
}
