import type { ReactNode } from 'react';
import type { Order } from '../../api/types.ts';
import { T } from '../../texts.ts';
import { O } from './texts.ts';

/** Who buys and where it goes, and how other systems call the order. */
export function People({ order, isMasked }: { readonly order: Order; readonly isMasked: boolean }) {
  const {
    buyer,
    shipping_address: shipping,
    billing_address: billing,
    external_ids: systems,
    customer_id: customer,
  } = order;
  const isSame = JSON.stringify(shipping) === JSON.stringify(billing);
  const person = (value: Person) => (isMasked ? <p className="text-muted">{T.hidden}</p> : <Texts value={value} />);
  return (
    <>
      <h2>{O.people}</h2>
      <div className="grid gap-4 md:grid-cols-3">
        <Card name={O.buyer}>
          {person(buyer)}
          {customer !== null && (
            <p className="text-sm text-muted">
              {O.customer} <span className="id [overflow-wrap:anywhere]">{customer}</span>
            </p>
          )}
        </Card>
        <Card name={isSame && shipping ? `${O.shipsTo}, ${O.billedTo.toLowerCase()}` : O.shipsTo}>
          {person(shipping)}
        </Card>
        {!isSame && !isMasked && <Card name={O.billedTo}>{person(billing)}</Card>}
        <Card name={O.systems}>
          {Object.entries(systems).flatMap(([system, ids]) =>
            ids.map((id) => (
              <p key={`${system} ${id}`}>
                {system} <span className="id [overflow-wrap:anywhere]">{id}</span>
              </p>
            )),
          )}
          {Object.keys(systems).length === 0 && <p className="text-muted">{T.none}</p>}
        </Card>
      </div>
      {!isMasked && <Others order={order} />}
      {!isMasked && <p className="mt-2 text-xs text-muted">{T.recorded}</p>}
    </>
  );
}

/** What a definition or the owner added. */
function Others({ order: { note, metadata, custom } }: { readonly order: Order }) {
  const pairs = [
    ...(note === null ? [] : [[O.note, note]]),
    ...Object.entries(typeof custom === 'object' && custom !== null ? custom : {}).map(([name, value]) => [
      name,
      textOf(value),
    ]),
    ...Object.entries(metadata),
  ];
  if (pairs.length === 0) return null;
  return (
    <section className="panel mt-4 px-4 py-3">
      <h3 className="mb-1 text-xs font-medium text-muted">{O.fromOwner}</h3>
      <dl className="grid gap-x-4 gap-y-1 md:grid-cols-[180px_1fr]">
        {pairs.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Card({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className="panel px-4 py-3">
      <h3 className="mb-1 text-xs font-medium text-muted">{name}</h3>
      {children}
    </section>
  );
}

/** A buyer or an address. */
type Person = Readonly<Record<string, string | null>> | null;

/** The texts of a person or an address, as on an envelope. */
function Texts({ value }: { readonly value: Person }) {
  if (value === null) return <p className="text-muted">{T.none}</p>;
  const { city = null, region = null, postal_code: code = null, country = null, ...others } = value;
  const place = [[code, city].filter(Boolean).join(' '), region, country].filter(Boolean).join(', ');
  return [...Object.entries(others), ['place', place] as const].flatMap(([name, text]) =>
    text === null || text === ''
      ? []
      : [
          <p key={name} className="[overflow-wrap:anywhere]">
            {text}
          </p>,
        ],
  );
}
