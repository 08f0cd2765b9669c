import { createPublicKey, type KeyObject } from 'node:crypto'
import { weakKey } from '../../../../output/vault/errors.ts'
import type { CryptoKeyAlgorithmInput } from '../../../../output/vault/types.ts'
import { faultAt } from '../../../../runtime/errors.ts'
import { publicKeyDer } from './certificate-der.ts'
import { boundedDer } from './der.ts'

/** A public key that is going to be certified. */
export interface CertifiedKey {
  readonly key: KeyObject
  /** The key as SubjectPublicKeyInfo in DER, in the one form that OpenSSL writes. */
  readonly der: Buffer
  readonly isRsa: boolean
  /** The kind of the key; undefined where the enum has no value, as for P-521 and for RSA of unusual sizes. */
  readonly algorithm: CryptoKeyAlgorithmInput | undefined
}

/** A curve by its name in OpenSSL. */
interface Curve {
  readonly algorithm: CryptoKeyAlgorithmInput | undefined
  /** The bytes of a SubjectPublicKeyInfo before the two coordinates: the name of the curve, and an uncompressed point. */
  readonly head: Buffer
}

const curve = (algorithm: CryptoKeyAlgorithmInput | undefined, head: string): Curve => ({
  algorithm,
  head: Buffer.from(head, 'hex'),
})

const curves: ReadonlyMap<string, Curve> = new Map([
  [
    'prime256v1',
    curve('VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256', '3059301306072a8648ce3d020106082a8648ce3d03010703420004'),
  ],
  ['secp384r1', curve('VAULT_CRYPTO_KEY_ALGORITHM_EC_P384_SHA384', '3076301006072a8648ce3d020106052b8104002203620004')],
  ['secp521r1', curve(undefined, '30819b301006072a8648ce3d020106052b810400230381860004')],
])

const sizes: ReadonlyMap<number, CryptoKeyAlgorithmInput> = new Map([
  [2048, 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_2048_SHA256'],
  [3072, 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_3072_SHA256'],
  [4096, 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_4096_SHA256'],
])

const minBits = 2048
const maxBits = 8192
const exponent = 65_537n

/** The bytes of the identifier rsaEncryption, which a key of RSA for any padding has. */
const rsaEncryption = Buffer.from('06092a864886f70d010101', 'hex')

/** Returns the public key of a SubjectPublicKeyInfo in DER from a caller; undefined if the bytes are no key. */
export function readPublicKey(der: Buffer): KeyObject | undefined {
  try {
    boundedDer(der)
    return createPublicKey({ key: der, format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}

/**
 * Returns a key that may be certified: RSA of 2048 to 8192 bits with the exponent 65537, P-256, P-384 or P-521
 * by its name and with an uncompressed point, or Ed25519. Throws WEAK_KEY at the field for another key: clients refuse
 * a certificate whose key spells the parameters of its curve out (RFC 5480, 2.1.1).
 */
export function requireStrongKey(key: KeyObject, field: string): CertifiedKey {
  const der = publicKeyDer(key)
  if (key.asymmetricKeyType === 'ed25519')
    return { key, der, isRsa: false, algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_ED25519' }
  const { modulusLength = 0, namedCurve = '', publicExponent } = key.asymmetricKeyDetails ?? {}
  const known = key.asymmetricKeyType === 'ec' ? curves.get(namedCurve) : undefined
  if (known !== undefined && der.subarray(0, known.head.length).equals(known.head))
    return { key, der, isRsa: false, algorithm: known.algorithm }
  const isStrong = modulusLength >= minBits && modulusLength <= maxBits && publicExponent === exponent
  if (key.asymmetricKeyType === 'rsa' && isStrong && der.includes(rsaEncryption))
    return { key, der, isRsa: true, algorithm: sizes.get(modulusLength) }
  const accepted =
    'RSA of 2048 to 8192 bits with the exponent 65537, P-256, P-384 and P-521 as named curves with uncompressed points, and Ed25519'
  throw faultAt(weakKey, field, `the key is not accepted; accepted are ${accepted}`)
}
