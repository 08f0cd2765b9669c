import type { ParsedSignBody, ParsedVerifyBody } from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { EcEncoding } from './ec-digests.ts'
import { givenBytes } from './given-bytes.ts'
import { schemeOf } from './key-form.ts'
import type { StoredKeyVersion } from './key-versions-store.ts'
import { digestBytes, type Signed } from './signatures.ts'

/** The input of a signature in a request. */
export interface SignedInput {
  readonly signed: Signed
  /** The member of the digest: `sha256` or `sha384`; undefined for data. */
  readonly hash: string | undefined
  readonly encoding: EcEncoding
}

/**
 * Reads the input of a signature (step 5). Throws FIELD_INVALID unless the request has exactly one of `data` and
 * `digest` with exactly one member, and CHECKSUM_MISMATCH.
 */
export function inputOf(body: ParsedSignBody | ParsedVerifyBody): SignedInput {
  const { data, data_crc32c, digest, signature_encoding } = body
  if ((data === undefined) === (digest === undefined))
    throw fieldInvalid([{ field: 'data', description: 'exactly one of data and digest must be given' }])
  const encoding = signature_encoding === 'VAULT_SIGNATURE_ENCODING_P1363' ? 'p1363' : 'der'
  const bytes = givenBytes(data, data_crc32c, 'data')
  if (digest === undefined) return { signed: { data: bytes }, hash: undefined, encoding }
  const members = Object.entries(digest)
  const [[hash, text] = ['', '']] = members
  if (members.length !== 1)
    throw fieldInvalid([{ field: 'digest', description: 'must have exactly one member, such as sha256' }])
  return { signed: { digest: Buffer.from(String(text), 'base64') }, hash, encoding }
}

/** Returns the fault of an input that the algorithm of a version does not sign; undefined for a right input. */
export function inputFault(
  version: StoredKeyVersion,
  { encoding, hash, signed }: SignedInput,
): FieldViolation | undefined {
  const scheme = schemeOf(version.algorithm)
  if (scheme.kind === 'cipher' || scheme.kind === 'mac' || scheme.kind === 'rsa-oaep') return undefined
  if (encoding === 'p1363' && scheme.kind !== 'ec')
    return { field: 'signature_encoding', description: `must be DER for ${version.algorithm}` }
  if ('data' in signed) return undefined
  if (scheme.kind === 'ed25519') return { field: 'digest', description: 'cannot be signed by Ed25519; send data' }
  if (hash !== scheme.hash) return { field: 'digest', description: `must be the ${scheme.hash} of the data` }
  const bytes = digestBytes(scheme)
  if (signed.digest.length === bytes) return undefined
  return { field: `digest.${hash}`, description: `must have ${bytes} bytes` }
}

/**
 * Requires one proof in a request to verify: a signature, or a code with data (step 5). Throws FIELD_INVALID.
 */
export function requireProof({ data, digest, mac, signature }: ParsedVerifyBody): void {
  if ((mac === undefined) === (signature === undefined))
    throw fieldInvalid([{ field: 'signature', description: 'exactly one of signature and mac must be given' }])
  if (mac === undefined) return
  if (data === undefined) throw fieldInvalid([{ field: 'data', description: 'is required beside mac' }])
  if (digest !== undefined) throw fieldInvalid([{ field: 'digest', description: 'cannot be given beside mac' }])
}
