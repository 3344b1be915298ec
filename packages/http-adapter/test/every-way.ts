import { apiKeys, authenticateBy, bearerTokens, clientCertificates } from '@orders/http-adapter';
import { okAsync } from 'neverthrow';
import { BASE_URL } from './an-api.ts';
import { inMemoryApiKeys } from './in-memory-api-keys.ts';

/** The key set is unreachable, which does not affect requests without a token. */
export const AN_ABSENT_ISSUER = {
  jwksUrl: 'http://127.0.0.1:1/jwks',
  issuer: 'https://issuer.example.test',
  audience: BASE_URL,
};

/** All authenticators together, without any valid credentials. */
export const everyWay = () =>
  authenticateBy(
    bearerTokens(AN_ABSENT_ISSUER),
    apiKeys(inMemoryApiKeys()),
    clientCertificates({ find: () => okAsync(null) }),
  );
