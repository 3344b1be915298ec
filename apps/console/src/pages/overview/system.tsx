import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries.ts';
import type { System } from '../../api/types.ts';
import { Command } from '../../parts/copy.tsx';
import { relative } from '../../parts/format.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { V } from './texts.ts';

/** How often the report is read while the page is visible, in milliseconds: the server examines its database for it. */
const POLL_MS = 30_000;

const SHAPES = { fail: 'wrong', warn: 'half', ok: 'done' } as const;
const STATES = ['fail', 'warn', 'ok'] as const;

/** Whether this server is ready, and in place what it says of itself. */
export function ThisServer() {
  const { data, error, refetch } = useQuery({ ...read<System>('/admin/v1/system'), refetchInterval: POLL_MS });
  return (
    <>
      <h2>{V.system.title}</h2>
      {error && <ProblemView error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={1} />}
      {data && (
        <details className="panel p-4">
          <summary data-row className="cursor-pointer">
            <State system={data} />
          </summary>
          <Facts system={data} />
          <Findings findings={data.findings} />
          <Command text="orders doctor" />
        </details>
      )}
    </>
  );
}

function State({ system: { not_ready: why, schema, findings } }: { readonly system: System }) {
  const worst = STATES.find((state) => findings.data.some((each) => each.state === state)) ?? 'ok';
  const open = findings.data.filter(({ state }) => state !== 'ok').length;
  return (
    <span className="inline-flex flex-wrap gap-x-4">
      <Status shape={why === null ? 'done' : 'wrong'}>{why === null ? V.system.ready : V.system.notReady(why)}</Status>
      <span className="text-muted">{V.system.schema(schema)}</span>
      <Status shape={SHAPES[worst]}>{V.system.findings(open)}</Status>
    </span>
  );
}

function Facts({ system: { version, node, host, started_at: started, pool, purge } }: { readonly system: System }) {
  const facts = [
    [V.system.release, V.system.releases(version, node)],
    [V.system.host, host],
    [V.system.started, relative(started)],
    [V.system.pool, V.system.connections(pool)],
    [V.system.purge, purge === null ? V.system.notYet : V.system.purged(purge.rows, relative(purge.at))],
  ];
  return (
    <dl className="mt-4 grid gap-x-4 gap-y-1 md:grid-cols-[max-content_1fr]">
      {facts.map(([name, fact]) => (
        <div key={name} className="mb-1 md:contents">
          <dt className="text-muted">{name}</dt>
          <dd className="[overflow-wrap:anywhere]">{fact}</dd>
        </div>
      ))}
    </dl>
  );
}

function Findings({ findings: { at, data } }: { readonly findings: System['findings'] }) {
  const sorted = data.toSorted((left, right) => STATES.indexOf(left.state) - STATES.indexOf(right.state));
  return (
    <>
      <p className="mt-4 mb-1 text-muted">
        {V.system.examined} <When at={at} seconds />
      </p>
      <ul className="grid gap-2">
        {sorted.map(({ state, subject, text, advice }) => (
          <li key={`${subject} ${text}`}>
            <Status shape={SHAPES[state]}>
              <span className="sr-only">{V.system.states[state]}: </span>
              <span className="md:flex">
                <span className="flex-none text-muted md:w-28">{`${subject} `}</span>
                <span>
                  {text}
                  {advice !== undefined && <span className="block text-muted">{advice}</span>}
                </span>
              </span>
            </Status>
          </li>
        ))}
      </ul>
    </>
  );
}
