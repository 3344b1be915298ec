/** The headers of every response, those of problems and unknown paths too. */
export const COMMON_HEADERS = {
  'api-version': '1',
  vary: 'Authorization, X-API-Key, Accept, API-Version',
  'x-content-type-options': 'nosniff',
} as const;
