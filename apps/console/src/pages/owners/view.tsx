import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperator } from '../../api/queries.ts';
import type { ListedOwner } from '../../api/types.ts';
import { Command } from '../../parts/copy.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useSearchBy } from '../../parts/url.ts';
import { T } from '../../texts.ts';
import { ChangeOwner } from './change-owner.tsx';
import { readSelection, SELECTIONS, useOwners } from './data.ts';
import { OwnerTable } from './owner-table.tsx';
import { N } from './texts.ts';

/** The owners: what they use of the server, and what is set for them. */
export function OwnersPage() {
  const { select = 'busiest' } = useSearchBy(readSelection);
  const { may } = useOperator();
  const [changed, change] = useState<ListedOwner>();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useOwners({ select });
  const owners = data?.pages.flatMap((page) => page.data) ?? [];
  const isComplete = data?.pages.every(({ complete }) => complete) ?? true;
  return (
    <>
      <title>{`${T.places.owners} · ${T.console}`}</title>
      <h1>{T.places.owners}</h1>
      <nav aria-label={T.places.owners} className="mt-3 flex flex-wrap gap-2">
        {SELECTIONS.map((each) => (
          <Link
            key={each}
            to="/owners"
            search={{ select: each }}
            aria-current={each === select ? 'page' : undefined}
            className="button aria-[current]:border-edge aria-[current]:bg-raised"
          >
            {N.selections[each]}
          </Link>
        ))}
      </nav>
      <p className="my-3 text-muted">{N.about[select]}</p>
      {!isComplete && <p className="panel mb-3 px-4 py-2">{N.incomplete}</p>}
      {error && <ProblemView error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={6} />}
      {data && owners.length === 0 && <p className="panel p-4 text-muted">{N.none[select]}</p>}
      {owners.length > 0 && <OwnerTable owners={owners} change={may('change_owner') ? change : undefined} />}
      {hasNextPage && (
        <p className="mt-3">
          <button type="button" className="button" onClick={() => void fetchNextPage()}>
            {N.more}
          </button>
        </p>
      )}
      <Command text={select === 'set' ? 'orders owners --set' : 'orders owners'} />
      {changed && <ChangeOwner owner={changed} close={() => change(undefined)} />}
    </>
  );
}
