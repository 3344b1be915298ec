import type { useInfiniteQuery } from '@tanstack/react-query';
import type { Entry, Order, Timeline } from '../../api/types.ts';
import { duration, words } from '../../parts/format.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { type Row, rowsOf } from './entries.ts';
import { CommentView, EntryView, GRID } from './entry.tsx';
import { O } from './texts.ts';

interface TimelineProps {
  readonly id: string;
  readonly pages: readonly Timeline[];
  readonly query: Pick<ReturnType<typeof useInfiniteQuery>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  readonly asOf: number | undefined;
  readonly order: Order | undefined;
}

/** All that is known to have happened, from the oldest to the newest, in three lanes. */
export function TimelineView({ id, pages, query, asOf, order }: TimelineProps) {
  const entries = pages.flatMap(({ data }) => data);
  return (
    <>
      <h2>{O.happened}</h2>
      {pages.length === 0 ? (
        <Skeleton rows={5} />
      ) : (
        <div className="panel py-3">
          <p aria-hidden="true" className={`${GRID} hidden! pb-1! text-xs text-muted md:grid!`}>
            <span />
            <span />
            <span>{O.lanes.change}</span>
            <span className="text-right">{O.lanes.money}</span>
            <span>{O.lanes.sent}</span>
          </p>
          <ol>
            {rowsOf(entries).map((row) => (
              <RowView key={keyOf(row)} id={id} row={row} asOf={asOf} order={order} />
            ))}
          </ol>
          {query.hasNextPage && (
            <p className="px-4 pt-2 text-center">
              <button
                type="button"
                className="button"
                disabled={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {O.more}
              </button>
            </p>
          )}
        </div>
      )}
    </>
  );
}

function keyOf(row: Row): string {
  if (row.kind === 'idle') return `idle ${row.key}`;
  if (row.kind === 'comment') return row.entry.id;
  return String((row.kind === 'entry' ? row.entry : row.entries[0])?.version);
}

interface RowProps {
  readonly id: string;
  readonly row: Row;
  readonly asOf: number | undefined;
  readonly order: Order | undefined;
}

function RowView({ id, row, asOf, order }: RowProps) {
  if (row.kind === 'idle') {
    return (
      <li className="relative py-0.5 pl-[42px] text-xs text-muted md:pl-[160px]">
        <span
          aria-hidden="true"
          className="absolute inset-y-0 left-[19px] border-l border-dashed border-edge md:left-[137px]"
        />
        {duration(row.ms)}
      </li>
    );
  }
  if (row.kind === 'comment') {
    return (
      <li>
        <CommentView comment={row.entry} isNewDay={row.isNewDay} />
      </li>
    );
  }
  const entry = (each: Entry, isNewDay: boolean) => (
    <EntryView
      key={each.version}
      id={id}
      entry={each}
      isNewDay={isNewDay}
      isShown={each.version === asOf}
      order={order}
    />
  );
  if (row.kind === 'entry') return <li>{entry(row.entry, row.isNewDay)}</li>;
  return (
    <li>
      <details>
        <summary className="link py-1 pl-[42px] text-sm md:pl-[160px]">
          {O.bookkeeping(row.entries.length, [...new Set(row.entries.flatMap(({ changed }) => changed))].map(words))}
        </summary>
        {row.entries.map((each) => entry(each, false))}
      </details>
    </li>
  );
}
