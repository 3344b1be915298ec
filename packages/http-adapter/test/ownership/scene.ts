import { at } from '../fixtures/json.ts';
import type { Operation } from '../hostile/operations.ts';
import { type Send, jsonOf } from './exchange.ts';
import type { ApiShape } from './families.ts';
import type { Findings } from './findings.ts';
import { fillHoldings, type Held } from './holdings.ts';
import { aParty, type Party, requestOf } from './party.ts';

/** An owner with its resources. */
export interface Holder {
  readonly party: Party;
  readonly held: readonly Held[];
}

/** A cursor of a list. */
export interface Cursor {
  readonly operation: Operation;
  /** Id of the resource in its path. */
  readonly id: string | undefined;
  readonly text: string;
}

/** Participants and data of a probe. */
export interface Scene {
  readonly api: ApiShape;
  readonly victim: Holder;
  /** An owner without data, and one with older data like that of the victim. */
  readonly others: readonly [newcomer: Holder, neighbour: Holder];
  /** Cursors of the first pages of the victim's lists. */
  readonly cursors: readonly Cursor[];
  readonly findings: Findings;
}

/** Returns the headers that give an owner all scopes. */
export type CredentialsOf = (owner: string) => Promise<Readonly<Record<string, string>>>;

export async function setScene(
  api: ApiShape,
  send: Send,
  credentialsOf: CredentialsOf,
  findings: Findings,
): Promise<Scene> {
  const partyOf = async (owner: string) => aParty(owner, send, await credentialsOf(owner));
  const newcomer: Holder = { party: await partyOf('newcomer'), held: [] };
  const neighbour = await partyOf('neighbour');
  const others = [newcomer, { party: neighbour, held: await fillHoldings(api, neighbour) }] as const;
  const party = await partyOf('victim');
  const victim = { party, held: await fillHoldings(api, party) };
  return { api, victim, others, cursors: await cursorsOf(api, victim), findings };
}

/**
 * Prepares the owners and their resources.
 *
 * @throws {Error} if a list has no cursor, because cursors could not be probed
 */
async function cursorsOf({ servers, operations }: ApiShape, { party, held }: Holder): Promise<Scene['cursors']> {
  const [server = ''] = servers;
  const cursors: Cursor[] = [];
  for (const operation of operations) {
    const takesCursor = operation.parameters.some(({ name }) => name === 'after');
    if (operation.method !== 'GET' || !takesCursor) continue;
    const ids = operation.path.includes('{')
      ? held.filter((each) => !each.isGone && operation.path.startsWith(`${each.family.collection}/`))
      : [undefined];
    const found: Cursor[] = [];
    for (const each of ids) {
      const response = await party.send(requestOf(operation, { server, id: each?.id, parameters: { limit: '1' } }));
      const text = at(jsonOf(response), 'page', 'next_cursor');
      if (typeof text === 'string') found.push({ operation, id: each?.id, text });
    }
    if (found.length === 0) throw new Error(`the probe got no cursor of ${operation.id}`);
    cursors.push(...found);
  }
  return cursors;
}
