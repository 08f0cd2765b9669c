/**
 * The operations that need the unsealed vault, marked [u] in vault.md 3. `getSecretVersion` needs the keys only for a
 * payload, and `getCertificateRevocationList` only for a new signature, so the handlers of both check the seal.
 */
export const sealedOperations: ReadonlySet<string> = new Set([
  'redeemCapsule',
  'createCapsule',
  'createCertificateAuthority',
  'createCertificate',
  'createCryptoKey',
  'decrypt',
  'encrypt',
  'generateDataEncryptionKey',
  'hmac',
  'reEncrypt',
  'sign',
  'verify',
  'rotateCryptoKey',
  'takeSnapshot',
  'addSecretVersion',
])
