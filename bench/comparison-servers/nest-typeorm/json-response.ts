/** What is used of Express's response, which has no types here. */
export interface JsonResponse {
  status(code: number): JsonResponse;
  type(type: string): JsonResponse;
  set(name: string, value: string): JsonResponse;
  json(body: unknown): void;
}
