/** A request whose owner is known. */
export interface OwnedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  owner: string;
}
