import type { EndpointHealth } from '../../api/types.ts';
import { duration, relative } from '../../parts/format.ts';
import { type Shape, Status } from '../../parts/status.tsx';
import type { EndpointAct } from './endpoint-dialogs.tsx';
import { W } from './texts.ts';

interface EndpointTableProps {
  readonly endpoints: readonly EndpointHealth[];
  readonly chosen: string | undefined;
  /** Shows the deliveries of one endpoint, or of all. */
  readonly choose: (endpoint: string | undefined, waits: boolean) => void;
  readonly more: (() => void) | undefined;
  /** What the role may do to an endpoint. */
  readonly acts: readonly EndpointAct[];
  readonly act: (endpoint: EndpointHealth, act: EndpointAct) => void;
}

/** How the deliveries of each endpoint go, what fails first. */
export function EndpointTable({ endpoints, chosen, choose, more, acts, act }: EndpointTableProps) {
  if (endpoints.length === 0) {
    return (
      <section className="panel p-6">
        <p className="font-medium">{W.none}</p>
        <p className="mt-1 text-muted">{W.noneHelp}</p>
        <code className="mt-3 block rounded bg-raised p-3 [overflow-wrap:anywhere]">
          {`curl -H "X-API-Key: $KEY" --json '{"url":"https://example.com/orders"}' ${location.protocol}//${location.hostname}:3000/v1/webhook_endpoints`}
        </code>
      </section>
    );
  }
  const sorted = endpoints.toSorted((left, right) => rank(left) - rank(right));
  return (
    <div className="panel">
      <table className="rows">
        <thead>
          <tr>
            <th>{W.endpoint}</th>
            <th>{W.owner}</th>
            <th>{W.health}</th>
            <th>{W.lastSuccess}</th>
            <th className="num">{W.waiting}</th>
            {acts.length > 0 && <td />}
          </tr>
        </thead>
        <tbody>
          {sorted.map((endpoint) => {
            const { id, owner, url, last_success_at: last, pending, behind } = endpoint;
            const isChosen = chosen === id;
            const host = URL.canParse(url) ? new URL(url).host : url;
            return (
              <tr key={id} className={isChosen ? 'bg-raised' : ''}>
                <td className="[overflow-wrap:anywhere] md:min-w-44">
                  <button
                    type="button"
                    data-row
                    className="link text-left"
                    aria-pressed={isChosen}
                    onClick={() => choose(isChosen ? undefined : id, pending + behind > 0)}
                  >
                    {host}
                  </button>
                </td>
                <td className="text-right md:text-left">{owner}</td>
                <td className="wide">
                  <Health endpoint={endpoint} />
                </td>
                <td className="text-muted">
                  <span className="md:hidden">{W.lastSuccess} </span>
                  {last === null ? W.never : relative(last)}
                </td>
                <td className="num">
                  {pending + behind}
                  <span className="text-muted md:hidden"> {W.waiting.toLowerCase()}</span>
                </td>
                {acts.length > 0 && (
                  <td className="wide">
                    <span className="flex gap-4 md:justify-end">
                      {actsOn(endpoint, acts).map((each) => (
                        <button
                          key={each}
                          type="button"
                          className="link whitespace-nowrap"
                          aria-label={`${W[each].open} ${host}`}
                          onClick={() => act(endpoint, each)}
                        >
                          {W[each].open}
                        </button>
                      ))}
                    </span>
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {more && (
        <p className="border-t border-line p-3 text-center">
          <button type="button" className="button" onClick={more}>
            {W.more}
          </button>
        </p>
      )}
    </div>
  );
}

function shapeOf({ status, failing_since: failing, last_success_at: last }: EndpointHealth): Shape {
  if (status === 'disabled') return 'end';
  return failing === null ? (last === null ? 'open' : 'done') : 'wrong';
}

/** Returns what can be done to an endpoint: what accepts everything has nothing that waits for long. */
function actsOn({ status, failing_since: failing }: EndpointHealth, acts: readonly EndpointAct[]) {
  return acts.filter((act) => act !== 'resume' || status === 'disabled' || failing !== null);
}

function rank(endpoint: EndpointHealth): number {
  return ['wrong', 'end', 'open', 'done'].indexOf(shapeOf(endpoint));
}

function Health({ endpoint }: { readonly endpoint: EndpointHealth }) {
  const shape = shapeOf(endpoint);
  const { failing_since: failing, disabled_reason: why } = endpoint;
  const texts = {
    wrong: `${W.failingFor} ${failing === null ? '' : duration(Date.now() - Date.parse(failing))}`,
    end: `${W.disabled}${why === null ? '' : `: ${why.replaceAll('_', ' ')}`}`,
    done: W.accepts,
    open: W.new,
    half: '',
  };
  return <Status shape={shape}>{texts[shape]}</Status>;
}
