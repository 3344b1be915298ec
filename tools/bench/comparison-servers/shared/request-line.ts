/** Log serializers without headers, so that a request logs no more than it does in Orders. */
export const LEAN_LOG = {
  serializers: {
    req: ({ id, method, url }: { readonly id: unknown; readonly method: unknown; readonly url: unknown }) => ({
      id,
      method,
      url,
    }),
    res: ({ statusCode }: { readonly statusCode: unknown }) => ({ statusCode }),
  },
} as const;
