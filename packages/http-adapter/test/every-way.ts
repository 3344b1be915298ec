import { apiKeys, authenticateBy, bearerTokens, clientCertificates } from '@orders/http-adapter';
import { okAsync } from 'neverthrow';
import { BASE_URL } from './an-api.ts';
import { inMemoryApiKeys } from './in-memory-api-keys.ts';

/** Whose keys are nowhere to be had, which does not matter to those who have no token. */
export const AN_ABSENT_ISSUER = {
  jwksUrl: 'http://127.0.0.1:1/jwks',
  issuer: 'https://issuer.example.test',
  audience: BASE_URL,
};

/** Every way of authentication that there is; nobody gets in. */
export const everyWay = () =>
  authenticateBy(
    bearerTokens(AN_ABSENT_ISSUER),
    apiKeys(inMemoryApiKeys()),
    clientCertificates({ find: () => okAsync(null) }),
  );
