/** What the line of a request tells: no more than ours does, which spares the comparison servers the writing of all headers. */
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
