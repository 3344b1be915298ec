/** A request of a case, as far as it differs from all others. */
export interface CaseRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One kind of request, what is asked of its answers, and where its targets come from. */
export interface Case {
  /** As it stands in the tables. */
  readonly title: string;
  /** Whose orders it is about. */
  readonly owner: 'reader' | 'writer';
  /** Whether targets are taken again and again, once each, or made up. */
  readonly targets: 'again' | 'once' | 'new';
  /** Whether each answer leaves an event and a record of its key. */
  readonly writes: boolean;
  readonly request: (target: string) => CaseRequest;
  readonly status: number;
  /** What the headers of every answer hold, in lower case. */
  readonly inHead: (target: string) => readonly string[];
  /** What the body of every answer holds; nothing for an answer without one. */
  readonly inBody: (target: string) => readonly string[];
}
