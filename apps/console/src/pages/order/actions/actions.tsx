import { lazy, Suspense, useRef, useState } from 'react';
import { useDefinition, useOperator } from '../../../api/queries.ts';
import type { Summary } from '../../../api/types.ts';
import type { ActionProps } from './action-dialog.tsx';
import type { Name } from './forms.tsx';
import { A } from './texts.ts';

const Form = lazy(() => import('./forms.tsx'));

/** The actions that have a button of their own, of which one of the first three most likely comes next, and the others. */
const [FIRST, NAMES, MORE]: readonly (readonly Name[])[] = [
  ['send', 'status', 'return'],
  ['send', 'status', 'return', 'adjust', 'comment', 'correct', 'cancel'],
  ['addLine', 'change', 'takeBack', 'delete'],
];

/** The operation that each action sends. The API says whether the role may use it, and refuses what the order does not allow. */
const OPERATIONS: Readonly<Record<Name, string>> = {
  send: 'fulfill_items',
  takeBack: 'cancel_fulfillment',
  return: 'return_items',
  adjust: 'adjust_order',
  addLine: 'add_items',
  change: 'change_order',
  status: 'change_order',
  comment: 'comment_order',
  correct: 'correct_order',
  cancel: 'cancel_order',
  delete: 'delete_order',
};

/** The actions that the order allows, of which the first one is what most likely comes next. */
export function Actions({ summary, ...props }: Omit<ActionProps, 'close'> & { readonly summary: Summary | undefined }) {
  const { may } = useOperator();
  const definition = useDefinition();
  const [opened, open] = useState<Name>();
  const more = useRef<HTMLDetailsElement>(null);
  if (!definition || !summary || summary.deleted_at !== null) return null;
  const { order } = props;
  const { open: pieces, fulfilled, returned } = summary.order?.quantities ?? { open: 0, fulfilled: 0, returned: 0 };
  const isCancelled = order.status === definition.cancel;
  const isAllowed: Readonly<Record<Name, boolean>> = {
    send: pieces > 0 && !isCancelled,
    takeBack: order.fulfillments.some(({ cancelled_at: at }) => at === null),
    return: fulfilled > returned,
    adjust: true,
    addLine: !isCancelled,
    change: true,
    status: order.available_transitions.some((status) => status !== definition.cancel),
    comment: true,
    correct: definition.statuses.length > order.available_transitions.length + 1,
    cancel: order.available_transitions.includes(definition.cancel),
    delete: true,
  };
  const allowed = (names: readonly Name[] = []) => names.filter((name) => isAllowed[name] && may(OPERATIONS[name]));
  const choose = (name: Name) => {
    if (more.current) more.current.open = false;
    open(name);
  };
  const others = allowed(MORE);
  return (
    <div className="flex flex-wrap gap-2">
      {allowed(NAMES).map((name, index) => (
        <button
          key={name}
          type="button"
          data-act
          className={`button ${index === 0 && FIRST?.includes(name) ? 'first' : ''} ${name === 'cancel' ? 'danger' : ''}`}
          onClick={() => choose(name)}
        >
          {A[name].open}
        </button>
      ))}
      {others.length > 0 && (
        <details ref={more} className="relative">
          <summary className="button list-none">{A.more}</summary>
          <div className="panel absolute left-0 z-10 mt-1 grid gap-1 p-1 md:right-0 md:left-auto">
            {others.map((name) => (
              <button
                key={name}
                type="button"
                className={`button border-transparent! text-left ${name === 'delete' ? 'danger' : ''}`}
                onClick={() => choose(name)}
              >
                {A[name].open}
              </button>
            ))}
          </div>
        </details>
      )}
      {opened && (
        <Suspense>
          {/* The event that one dialog has closed may come when the next one is open. */}
          <Form key={opened} name={opened} {...props} close={() => open((now) => (now === opened ? undefined : now))} />
        </Suspense>
      )}
    </div>
  );
}
