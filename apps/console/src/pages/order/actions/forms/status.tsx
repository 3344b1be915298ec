import { useDefinition } from '../../../../api/queries.ts';
import { shellWord } from '../../../../parts/copy.tsx';
import { Field } from '../../../../parts/dialog.tsx';
import { useDraft } from '../../../../parts/draft.ts';
import { words } from '../../../../parts/format.ts';
import { ActionDialog, type ActionProps } from '../action-dialog.tsx';
import { A } from '../texts.ts';

/** Moves the order to a status that its lifecycle allows next. */
export function ChangeStatus(props: ActionProps) {
  const cancel = useDefinition()?.cancel;
  const next = props.order.available_transitions.filter((status) => status !== cancel);
  return <StatusForm {...props} texts={A.status} statuses={next} method="PATCH" path="" />;
}

/** Moves the order to a status that its lifecycle does not allow. */
export function Correct(props: ActionProps) {
  const { id, status: current, available_transitions: allowed } = props.order;
  const all = useDefinition()?.statuses.map(({ status }) => status) ?? [];
  const others = all.filter((status) => status !== current && !allowed.includes(status));
  const command = (status: string, reason: string) =>
    `orders correct ${id} --owner ${shellWord(props.owner)} --status ${status} --reason ${shellWord(reason)}`;
  return (
    <StatusForm
      {...props}
      texts={A.correct}
      statuses={others}
      command={command}
      root="/admin/v1"
      path="/corrections"
      isDanger
    />
  );
}

interface StatusFormProps extends Omit<
  Parameters<typeof ActionDialog>[0],
  'body' | 'commandOf' | 'discard' | 'children'
> {
  readonly statuses: readonly string[];
  readonly command?: (status: string, reason: string) => string;
}

/** The statuses, of which the only one is chosen already, unless it is against the lifecycle. */
function StatusForm({ statuses, command, ...props }: StatusFormProps) {
  const [chosen, setChosen] = useDraft(`status ${props.order.id} ${props.path}`);
  const [only, ...others] = statuses;
  const status = statuses.includes(chosen) ? chosen : others.length > 0 || props.isDanger ? '' : (only ?? '');
  const commandOf = command && ((reason: string) => command(status, reason));
  return (
    <ActionDialog {...props} body={{ status }} commandOf={commandOf} discard={() => setChosen('')}>
      <Field name={A.from(words(props.order.status))}>
        <select required value={status} onChange={({ target }) => setChosen(target.value)}>
          <option value="" disabled>
            {A.choose}
          </option>
          {statuses.map((each) => (
            <option key={each} value={each}>
              {words(each)}
            </option>
          ))}
        </select>
      </Field>
    </ActionDialog>
  );
}
