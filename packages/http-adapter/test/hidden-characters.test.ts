import { expect, it } from 'vitest';
import { certificateIdentityKind } from '../src/admission/authentication/certificate-identities.ts';
import { isLine } from '../src/hidden-characters.ts';

it.each(['\n', '\u0000', '\u009B', '\u2028', '\u2029', '\u200E', '\u200F', '\u061C', '\u202E', '\u2066', '\uD800'])(
  'a name and an identity of a certificate have no %j',
  (hidden) => {
    expect(isLine(`a${hidden}b`, 100)).toBe(false);
    expect(certificateIdentityKind(`CN=a${hidden}b`)).toBeUndefined();
  },
);

it('a name may have letters of any script, and pictures', () => {
  for (const name of ['Ada L.', '\u0627\u064E', '\u0645\u200C\u0641', '👩‍🚒']) {
    expect(isLine(name, 100)).toBe(true);
    expect(certificateIdentityKind(`CN=${name}`)).toBe('subject');
  }
});
