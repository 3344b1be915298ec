import { T } from '../texts.ts';

/** Bars in place of what is being loaded, of the same height, so that nothing moves when it is there. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label={T.loading} className="panel grid gap-5 p-4">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex justify-between gap-6">
          <span className={`skeleton h-4 ${['w-2/5', 'w-1/3', 'w-1/2'][index % 3]}`} />
          <span className="skeleton h-4 w-20" />
        </div>
      ))}
    </div>
  );
}
