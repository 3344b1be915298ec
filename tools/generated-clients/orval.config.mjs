/** Options of `orval`. */
export default {
  orders: {
    input: '../../packages/http-adapter/openapi.json',
    output: {
      target: 'generated/orval.ts',
      client: 'fetch',
      // The URL is known when the program runs.
      baseUrl: { runtime: 'process.env.ORDERS_API' },
    },
  },
};
