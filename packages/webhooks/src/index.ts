export { signMessage, type SignatureHeaders } from './sign-message.ts';
export {
  isSigningKey,
  SIGNING_KEY_BYTES_MAX,
  SIGNING_KEY_BYTES_MIN,
  signingKeyFingerprint,
  webhookSecrets,
} from './webhook-secrets.ts';
