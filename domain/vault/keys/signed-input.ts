import type { ParsedSignBody, ParsedVerifyBody, SignBodyInput, VerifyBodyInput } from '../../../output/vault/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import type { EcEncoding } from './ec-digests.ts'
import { checksumRule, givenBytes } from './given-bytes.ts'
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

const signRule = rulesOf<SignBodyInput>()
const verifyRule = rulesOf<VerifyBodyInput>()

/** The rule for the input of a signature (step 5). */
export const signForm: readonly FormRule[] = [signRule(['data', 'digest'], inputFaults), checksumRule('data')]

/** The rules for a request to verify (step 5). */
export const verifyForm: readonly FormRule[] = [
  verifyRule(['data', 'digest', 'mac', 'signature'], proofFaults),
  checksumRule('data'),
]

/** Returns a fault unless there is exactly one of `data` and `digest`, with exactly one member. */
function* inputFaults({ data, digest }: Pick<SignBodyInput, 'data' | 'digest'>): Generator<FieldViolation> {
  if ((data === undefined) === (digest === undefined))
    yield { field: 'data', description: 'exactly one of data and digest must be given' }
  else if (digest !== undefined && Object.keys(digest).length !== 1)
    yield { field: 'digest', description: 'must have exactly one member, such as sha256' }
}

/** Reads the input of a signature, which `signForm` has checked. Throws CHECKSUM_MISMATCH. */
export function inputOf(body: ParsedSignBody | ParsedVerifyBody): SignedInput {
  const { data, data_crc32c, digest, signature_encoding } = body
  const encoding = signature_encoding === 'VAULT_SIGNATURE_ENCODING_P1363' ? 'p1363' : 'der'
  const bytes = givenBytes(data, data_crc32c, 'data')
  if (digest === undefined) return { signed: { data: bytes }, hash: undefined, encoding }
  const [[hash, text] = ['', '']] = Object.entries(digest)
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

/** Returns a fault unless there is one proof: a signature of an input, or a code with data. */
function* proofFaults(body: Pick<VerifyBodyInput, 'data' | 'digest' | 'mac' | 'signature'>): Generator<FieldViolation> {
  const { data, digest, mac, signature } = body
  if ((mac === undefined) === (signature === undefined))
    yield { field: 'signature', description: 'exactly one of signature and mac must be given' }
  else if (mac === undefined) yield* inputFaults(body)
  else if (data === undefined) yield { field: 'data', description: 'is required beside mac' }
  else if (digest !== undefined) yield { field: 'digest', description: 'cannot be given beside mac' }
}
