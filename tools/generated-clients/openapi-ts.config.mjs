/** Options of `openapi-ts`, the generator of Hey API. */
export default {
  input: '../../packages/http-adapter/openapi.json',
  // Node.js runs TypeScript only with the extensions of files.
  output: { path: 'generated/hey-api', module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { file: false },
};
