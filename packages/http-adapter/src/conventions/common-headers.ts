/** The headers of every answer, problems and unknown paths too. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'api-version': '1',
  vary: 'Authorization, X-API-Key, Accept, API-Version',
  'x-content-type-options': 'nosniff',
};
