/** An authenticated request. */
export interface OwnedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  owner: string;
}
