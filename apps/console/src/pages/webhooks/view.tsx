import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperator } from '../../api/queries.ts';
import type { EndpointHealth } from '../../api/types.ts';
import { Command } from '../../parts/copy.tsx';
import { JobDialog } from '../../parts/job-dialog.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useSearchBy } from '../../parts/url.ts';
import { T } from '../../texts.ts';
import { commandOf, jobFilterOf, readDeliveryFilter, STATUSES, useDeliveries, useEndpoints } from './data.ts';
import { DeliveryFilters } from './delivery-filter.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { type EndpointAct, ResumeEndpoint, RotateSecret, TestEndpoint } from './endpoint-dialogs.tsx';
import { EndpointTable } from './endpoint-table.tsx';
import { W } from './texts.ts';

const DIALOGS = { resume: ResumeEndpoint, test: TestEndpoint, rotate: RotateSecret };
const OPERATIONS = {
  resume: 'change_webhook_endpoint',
  test: 'test_webhook_endpoint',
  rotate: 'rotate_webhook_secret',
};
const ACTS = ['resume', 'test', 'rotate'] as const;

/** The endpoints of all owners, and what did not reach them. */
export function WebhooksPage() {
  const filter = useSearchBy(readDeliveryFilter);
  const navigate = useNavigate();
  const { may } = useOperator();
  const [isOpen, open] = useState(false);
  const [acted, setActed] = useState<{ readonly endpoint: EndpointHealth; readonly act: EndpointAct }>();
  const Acted = acted && DIALOGS[acted.act];
  const [endpoints, deliveries] = [useEndpoints(), useDeliveries(filter)];
  const status = STATUSES.find((each) => each === filter.status) ?? 'failed';
  const change = (more: typeof filter) =>
    void navigate({ to: '/webhooks', search: { ...filter, ...more }, resetScroll: false });
  const end = () => {
    open(false);
    void Promise.all([deliveries.refetch(), endpoints.refetch()]);
  };
  const listed = deliveries.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <title>{`${T.places.webhooks} · ${T.console}`}</title>
      <h1>{T.places.webhooks}</h1>
      <h2 className="mt-4!">{W.endpoints}</h2>
      {endpoints.error && <ProblemView error={endpoints.error} retry={() => void endpoints.refetch()} />}
      {!endpoints.data && !endpoints.error && <Skeleton rows={4} />}
      {endpoints.data && (
        <EndpointTable
          endpoints={endpoints.data.pages.flatMap(({ data }) => data)}
          chosen={filter.endpoint}
          choose={(endpoint, waits) => change({ endpoint, ...(waits && { status: 'pending' }) })}
          acts={ACTS.filter((act) => may(OPERATIONS[act]))}
          act={(endpoint, act) => setActed({ endpoint, act })}
          more={endpoints.hasNextPage ? () => void endpoints.fetchNextPage() : undefined}
        />
      )}
      <div className="mt-8 mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="m-0!">{W.deliveries[status]}</h2>
        <div className="flex flex-wrap gap-2">
          <DeliveryFilters filter={filter} status={status} change={change} />
          {(status === 'delivered' || (status === 'failed' && listed.length > 0)) && may('create_job:redeliver') && (
            <button type="button" data-act className="button first" onClick={() => open(true)}>
              {W.redeliver.open}
            </button>
          )}
        </div>
      </div>
      {deliveries.error && <ProblemView error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {!deliveries.data && !deliveries.error && <Skeleton rows={4} />}
      {deliveries.data && <DeliveryTable deliveries={listed} status={status} />}
      {deliveries.hasNextPage && (
        <p className="mt-3">
          <button type="button" className="button" onClick={() => void deliveries.fetchNextPage()}>
            {W.more}
          </button>
        </p>
      )}
      <Command text={commandOf({ ...filter, status })} />
      {acted && Acted && <Acted endpoint={acted.endpoint} close={() => setActed(undefined)} />}
      {isOpen && (
        <JobDialog
          kind="redeliver"
          filter={jobFilterOf({ ...filter, status })}
          texts={status === 'delivered' ? { ...W.redeliver, about: W.redeliver.accepted } : W.redeliver}
          close={end}
        />
      )}
    </>
  );
}
