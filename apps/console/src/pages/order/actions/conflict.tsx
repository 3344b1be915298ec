import { useQueryClient } from '@tanstack/react-query';
import type { Timeline } from '../../../api/types.ts';
import { relative, words } from '../../../parts/format.ts';
import { Status } from '../../../parts/status.tsx';
import { T } from '../../../texts.ts';
import { otherChanges, statusChange, titleOf } from '../entries.ts';
import { actorOf } from '../names.ts';

interface ConflictProps {
  readonly orderId: string;
  /** The version that the operator has seen. */
  readonly since: number;
  /** Saves on top of what has changed, the next time. */
  readonly load: () => void;
}

/** What someone else changed since the dialog was opened. */
export function Conflict({ orderId, since, load }: ConflictProps) {
  const pages =
    useQueryClient().getQueryData<{ readonly pages: readonly Timeline[] }>(['timeline', orderId])?.pages ?? [];
  const changes = pages.flatMap(({ data }) => data).filter((entry) => entry.kind === 'change');
  const entries = changes.filter(({ version }) => version > since);
  const last = entries.at(-1);
  return (
    <section role="alert" className="panel mt-4 bg-raised p-4">
      <p className="font-medium">
        <Status shape="half">
          {last ? T.changedBy(actorOf(last), relative(last.at)) : T.changedBy('someone', '')}
        </Status>
      </p>
      <ul className="mt-1 list-disc pl-8">
        {entries.map((entry) => {
          const status = statusChange(entry);
          return (
            <li key={entry.version}>
              {status ? `${words(String(status.before))} → ${words(String(status.after))}` : titleOf(entry)}
              {otherChanges(entry).map(({ field, after }) => (
                <span key={field} className="block text-sm text-muted">
                  {words(field)}: {JSON.stringify(after)}
                </span>
              ))}
            </li>
          );
        })}
      </ul>
      <p className="mt-1 text-sm text-muted">{T.changedHelp}</p>
      <button type="button" className="button mt-3" onClick={load}>
        {T.loadChange}
      </button>
    </section>
  );
}
