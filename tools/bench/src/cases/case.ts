/** The parts of a request that its case determines. */
export interface CaseRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One kind of request, the expected response, and the source of its targets. */
export interface Case {
  /** The title in the tables of the report. */
  readonly title: string;
  /** The owner whose orders are read or written. */
  readonly owner: 'reader' | 'writer';
  /** Whether each target is used repeatedly, at most once, or generated for each request. */
  readonly targets: 'repeated' | 'single-use' | 'generated';
  /** Whether each request stores an event and an idempotency record. */
  readonly writes: boolean;
  readonly request: (target: string) => CaseRequest;
  readonly status: number;
  /** Texts that the headers of every response include, in lower case. */
  readonly headIncludes: (target: string) => readonly string[];
  /** Texts that the body of every response includes. None for a response without a body. */
  readonly bodyIncludes: (target: string) => readonly string[];
}
