/** The used part of Express's response, whose types are not installed. */
export interface JsonResponse {
  status(code: number): JsonResponse;
  type(type: string): JsonResponse;
  set(name: string, value: string): JsonResponse;
  json(body: unknown): void;
}

/** An authenticated request. */
export interface OwnedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  owner: string;
}
