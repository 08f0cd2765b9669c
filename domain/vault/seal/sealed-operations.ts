/**
 * The operations that need the unsealed vault for every request, marked [u] in vault.md 3. The handler of
 * `getCertificateRevocationList` checks the seal, because only a new signature needs keys.
 */
const sealedOperations: ReadonlySet<string> = new Set([
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

/**
 * Whether a call needs the unsealed vault. `getSecretVersion` needs keys unless its view has no payload; its request,
 * which is unchecked, is undefined before it is parsed.
 */
export const needsKeys = (operationId: string, given: Readonly<Record<string, unknown>> | undefined): boolean =>
  sealedOperations.has(operationId) ||
  (operationId === 'getSecretVersion' && given !== undefined && given['view'] !== 'VAULT_SECRET_VERSION_VIEW_BASIC')
