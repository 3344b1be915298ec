import { Link } from '@tanstack/react-router';
import type { PersonData } from '../../api/types.ts';
import { money, words } from '../../parts/format.ts';
import { When } from '../../parts/when.tsx';
import { C } from './texts.ts';

/** The customer and the orders among the lines of a person's data. */
export function Stored({ lines }: { readonly lines: PersonData['data'] }) {
  const customer = lines.find((line) => line.kind === 'customer');
  const orders = lines.filter((line) => line.kind === 'order');
  if (lines.length === 0) {
    return (
      <section className="panel p-6">
        <p className="font-medium">{C.nothing}</p>
        <p className="mt-1 text-muted">{C.nothingHelp}</p>
      </section>
    );
  }
  return (
    <>
      {customer ? (
        <section className="panel px-4 py-3">
          <h2 className="m-0! text-xs! font-medium! text-muted">{C.customer}</h2>
          <p>{customer.name}</p>
          <p>{customer.email}</p>
          <p className="id text-muted [overflow-wrap:anywhere]">{customer.id}</p>
        </section>
      ) : (
        <p>{C.guest}</p>
      )}
      <h2>{C.orders}</h2>
      <div className="panel">
        <table className="rows">
          <thead>
            <tr>
              <th>{C.order}</th>
              <th>{C.status}</th>
              <th>{C.placed}</th>
              <th className="num">{C.total}</th>
            </tr>
          </thead>
          <tbody>
            {orders.map(({ id, reference, status, created_at: at, total }) => (
              <tr key={id}>
                <td className="[overflow-wrap:anywhere]">
                  <Link to="/orders/$id" params={{ id }} data-row>
                    {reference ?? <span className="id">{id}</span>}
                  </Link>
                </td>
                <td className="text-right md:text-left">{words(status)}</td>
                <td className="text-muted">
                  <When at={at} />
                </td>
                <td className="num">{money(total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
