/** What a change of the definition means for stored orders, servers and clients. */
export interface DefinitionPlan {
  /** Whether no server meets an order that it cannot read while servers with both definitions run. */
  readonly rolling: 'safe' | 'unsafe';
  /** The statuses that orders can enter meanwhile and that servers with one definition lack. */
  readonly unreadable: readonly { readonly status: string; readonly lacking: 'old' | 'new' }[];
  /** The statuses of the old definition whose orders cannot go on as before. */
  readonly stranded: readonly { readonly status: string; readonly reason: 'removed' | 'no_terminal_status' }[];
  readonly added: Differences;
  readonly removed: Differences;
  /** What differs in custom data. */
  readonly custom: CustomChange;
  /** The lookups by which orders may be found otherwise, once they are rebuilt. */
  readonly lookups: readonly string[];
  /** What clients notice, a sentence each. */
  readonly clients: readonly string[];
  /** What to do, in this order, a sentence each. */
  readonly steps: readonly string[];
}

/** What one of two definitions has and the other one lacks. */
export interface Differences {
  readonly statuses: readonly string[];
  /** Such as `paid -> shipped`. Those of statuses that the other definition lacks are not listed. */
  readonly transitions: readonly string[];
  readonly events: readonly string[];
  /** The reasons for which writes are refused that the other definition allows, such as `sent requires paid`. */
  readonly refusals: readonly string[];
}

/** A difference in custom data. `schema`: another schema, so that stored values may not be accepted. */
export type CustomChange = 'none' | 'added' | 'added_required' | 'removed' | 'required' | 'schema' | 'schema_required';
