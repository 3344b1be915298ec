import { lazy, Suspense, useState } from 'react';
import { useDefinition, useOperator } from '../../../api/queries.ts';
import type { Summary } from '../../../api/types.ts';
import type { ActionProps } from './action-dialog.tsx';
import { A } from './texts.ts';

const FORMS = {
  fulfill: lazy(async () => ({ default: (await import('./forms.tsx')).Fulfill })),
  return: lazy(async () => ({ default: (await import('./forms.tsx')).Return })),
  adjust: lazy(async () => ({ default: (await import('./forms.tsx')).Adjust })),
  status: lazy(async () => ({ default: (await import('./forms.tsx')).ChangeStatus })),
  comment: lazy(async () => ({ default: (await import('./forms.tsx')).Comment })),
  correct: lazy(async () => ({ default: (await import('./forms.tsx')).Correct })),
  cancel: lazy(async () => ({ default: (await import('./forms.tsx')).Cancel })),
};
type Name = keyof typeof FORMS;
const NAMES: readonly Name[] = ['fulfill', 'status', 'return', 'adjust', 'comment', 'correct', 'cancel'];

/** What most likely comes next. */
const FIRST: readonly Name[] = ['fulfill', 'status', 'return'];

/** The operation that each action sends. The API says whether the role may use it, and refuses what the order does not allow. */
const OPERATIONS: Readonly<Record<Name, string>> = {
  fulfill: 'fulfill_items',
  return: 'return_items',
  adjust: 'adjust_order',
  status: 'change_order',
  comment: 'comment_order',
  correct: 'correct_order',
  cancel: 'cancel_order',
};

/** The actions that the order allows, of which the first one is what most likely comes next. */
export function Actions({ summary, ...props }: Omit<ActionProps, 'close'> & { readonly summary: Summary | undefined }) {
  const { may } = useOperator();
  const definition = useDefinition();
  const [opened, open] = useState<Name>();
  if (!definition || !summary || summary.deleted_at !== null) return null;
  const { order } = props;
  const { open: pieces, fulfilled, returned } = summary.order?.quantities ?? { open: 0, fulfilled: 0, returned: 0 };
  const further = order.available_transitions.filter((status) => status !== definition.cancel);
  const isAllowed: Readonly<Record<Name, boolean>> = {
    fulfill: pieces > 0 && order.status !== definition.cancel,
    status: further.length > 0,
    return: fulfilled > returned,
    adjust: true,
    comment: true,
    correct: definition.statuses.length > order.available_transitions.length + 1,
    cancel: order.available_transitions.includes(definition.cancel),
  };
  const names = NAMES.filter((name) => isAllowed[name] && may(OPERATIONS[name]));
  const Form = opened === undefined ? undefined : FORMS[opened];
  return (
    <div className="flex flex-wrap gap-2">
      {names.map((name, index) => (
        <button
          key={name}
          type="button"
          className={`button ${index === 0 && FIRST.includes(name) ? 'first' : ''} ${name === 'cancel' ? 'danger' : ''}`}
          onClick={() => open(name)}
        >
          {A[name].open}
        </button>
      ))}
      {Form && (
        <Suspense>
          <Form {...props} close={() => open(undefined)} />
        </Suspense>
      )}
    </div>
  );
}
