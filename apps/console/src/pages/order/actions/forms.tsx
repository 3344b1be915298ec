import type { ActionProps } from './action-dialog.tsx';
import { AddLine, Adjust } from './forms/charging.tsx';
import { Change, Comment } from './forms/describing.tsx';
import { Cancel, Delete } from './forms/ending.tsx';
import { Return, Send, TakeBack } from './forms/shipping.tsx';
import { ChangeStatus, Correct } from './forms/status.tsx';

/** The form of each action. */
const FORMS = {
  send: Send,
  takeBack: TakeBack,
  return: Return,
  adjust: Adjust,
  addLine: AddLine,
  change: Change,
  status: ChangeStatus,
  comment: Comment,
  correct: Correct,
  cancel: Cancel,
  delete: Delete,
};

/** What an action is called. */
export type Name = keyof typeof FORMS;

/** The dialog of an action. All of them are loaded together, when the first one is needed. */
export default function Form({ name, ...props }: ActionProps & { readonly name: Name }) {
  const Chosen = FORMS[name];
  return <Chosen {...props} />;
}
