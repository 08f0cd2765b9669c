import { constants, verify, type KeyObject } from 'node:crypto'
import { childrenOf, type Element } from './der.ts'

/** The accepted algorithms of signatures, by the bytes of their identifier in hex: the type of the key and the hash. */
const algorithms: ReadonlyMap<string, { readonly type: string; readonly hash: string | null }> = new Map([
  ['2a8648ce3d040302', { type: 'ec', hash: 'sha256' }],
  ['2a8648ce3d040303', { type: 'ec', hash: 'sha384' }],
  ['2a8648ce3d040304', { type: 'ec', hash: 'sha512' }],
  ['2a864886f70d01010b', { type: 'rsa', hash: 'sha256' }],
  ['2a864886f70d01010c', { type: 'rsa', hash: 'sha384' }],
  ['2a864886f70d01010d', { type: 'rsa', hash: 'sha512' }],
  ['2b6570', { type: 'ed25519', hash: null }],
])

const pss = '2a864886f70d01010a'

const hashes: ReadonlyMap<string, string> = new Map([
  ['608648016503040201', 'sha256'],
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
])

/**
 * Returns whether the signature of a request fits the key: `root` are the three elements of the request. False for an
 * algorithm that is not accepted, such as a hash of SHA-1. Throws for elements of another form.
 */
export function fitsRequestSignature([info, algorithm, signature]: readonly Element[], key: KeyObject): boolean {
  if (!info || !algorithm || signature?.tag !== 0x03 || signature.content[0] !== 0) return false
  const [id, parameters] = childrenOf(algorithm)
  const name = id?.content.toString('hex') ?? ''
  const bytes = signature.content.subarray(1)
  if (name === pss) return fitsPss(info.bytes, key, parameters, bytes)
  const known = algorithms.get(name)
  if (known === undefined || known.type !== key.asymmetricKeyType) return false
  return verify(known.hash, info.bytes, key, bytes)
}

/** Verifies RSASSA-PSS whose mask is made by the same hash; `parameters` are those of RFC 4055, 3.1. */
function fitsPss(data: Buffer, key: KeyObject, parameters: Element | undefined, signature: Buffer): boolean {
  if (parameters === undefined || key.asymmetricKeyType !== 'rsa') return false
  const members = new Map(childrenOf(parameters).map(element => [element.tag, childrenOf(element)[0]]))
  const [digest, mask, salt] = [members.get(0xa0), members.get(0xa1), members.get(0xa2)]
  const maskDigest = mask && childrenOf(mask)[1]
  const hash = hashOf(digest)
  const saltLength = salt?.content.length === 1 ? (salt.content[0] ?? 0) : -1
  if (hash === undefined || hashOf(maskDigest) !== hash || saltLength < 0 || members.has(0xa3)) return false
  return verify(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, signature)
}

const hashOf = (algorithm: Element | undefined): string | undefined =>
  algorithm && hashes.get(childrenOf(algorithm)[0]?.content.toString('hex') ?? '')
