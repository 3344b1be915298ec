import { Problem } from '../api/problem.ts';
import { T } from '../texts.ts';
import { Copy } from './copy.tsx';
import { Status } from './status.tsx';

/** A problem: what is wrong, what helps, and the request to look for in a log. */
export function ProblemView({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const problem = error instanceof Problem ? error : new Problem({ code: 'console', title: String(error) });
  const isUnreachable = problem.code === 'unreachable';
  return (
    <section role="alert" className="panel my-4 p-4">
      <p className="font-medium">
        <Status shape="wrong">{isUnreachable ? T.problem.unreachable : problem.message}</Status>
      </p>
      <p className="mt-1">{isUnreachable ? (retry ? T.problem.readAgain : T.problem.sendAgain) : problem.detail}</p>
      {problem.errors.length > 0 && (
        <ul className="mt-1 list-disc pl-5">
          {problem.errors.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {problem.code in T.problem.remedy && <p className="mt-1 text-muted">{T.problem.remedy[problem.code]}</p>}
      <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <code>{problem.code}</code>
        {problem.requestId !== null && (
          <span>
            {T.problem.request} <code>{problem.requestId}</code>{' '}
            <Copy text={problem.requestId} of="the id of the request" />
          </span>
        )}
        {retry && (
          <button type="button" className="link" onClick={retry}>
            {T.retry}
          </button>
        )}
      </p>
    </section>
  );
}
