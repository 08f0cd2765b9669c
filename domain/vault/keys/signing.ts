import { storedDataCorrupt } from '../../../output/vault/errors.ts'
import type { CryptoKeyHandlers } from '../../../output/vault/handlers.ts'
import type { ParsedVerifyRequest, VerifyResponse } from '../../../output/vault/types.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import { useActivity } from '../audit/use-activity.ts'
import type { VaultEnvironment } from '../environment.ts'
import { crc32c } from '../../resources/crc32c.ts'
import { knownVersion, usableKey } from './find-key.ts'
import { givenBytes } from './given-bytes.ts'
import { schemeOf } from './key-form.ts'
import type { StoredKeyVersion } from './key-versions-store.ts'
import { fitsMac, macOf } from './macs.ts'
import { publicKeyOf } from './material.ts'
import type { OpenMaterial } from './materials.ts'
import type { MacScheme, SignScheme } from './schemes.ts'
import { fitsSignature, signatureOf } from './signatures.ts'
import { inputFault, inputOf } from './signed-input.ts'
import { candidatesOf } from './verify-candidates.ts'

/** The calls that sign, authenticate and verify. */
export type SigningCalls = Pick<CryptoKeyHandlers, 'hmac' | 'sign' | 'verify'>

/** Returns the calls that sign, authenticate and verify (vault.md 4.2). */
export function signingCalls(environment: VaultEnvironment): SigningCalls {
  const { accesses, materials, pinned, store } = environment
  return {
    async sign(request, context) {
      const input = inputOf(request.body)
      const key = await usableKey(environment, request, 'ASYMMETRIC_SIGN')
      const version = await knownVersion(environment, key, request.body.key_version)
      await pinned.requireFree(store, version)
      const fault = inputFault(version, input)
      if (fault) throw fieldInvalid([fault])
      const signature = await materials.use(store, version, material => {
        if (Buffer.isBuffer(material)) throw unfit(version)
        return signatureOf(signSchemeOf(version), material, input.signed, input.encoding)
      })
      await accesses.record(useActivity(context, version))
      return {
        signature: signature.toString('base64'),
        signature_crc32c: crc32c(signature),
        key_version: version.id,
        algorithm: version.algorithm,
      }
    },
    async hmac(request) {
      const data = givenBytes(request.body.data, request.body.data_crc32c, 'data')
      const key = await usableKey(environment, request, 'MAC')
      const version = await knownVersion(environment, key, request.body.key_version)
      const mac = await materials.use(store, version, material =>
        macOf(macSchemeOf(version), bytesOf(version, material), data),
      )
      return {
        mac: mac.toString('base64'),
        mac_crc32c: crc32c(mac),
        key_version: version.id,
        algorithm: version.algorithm,
      }
    },
    async verify(request) {
      const { body } = request
      const fits = body.mac === undefined ? signatureCheck(body) : macCheck(environment, body)
      const key = await usableKey(environment, request, body.mac === undefined ? 'ASYMMETRIC_SIGN' : 'MAC')
      const { candidates, named } = await candidatesOf(store, key, body.key_version)
      for (const version of candidates) if (await fits(version)) return verdict(true, version)
      return verdict(false, named)
    },
  }
}

const verdict = (valid: boolean, { algorithm, id }: StoredKeyVersion): VerifyResponse => ({
  valid,
  key_version: id,
  algorithm,
})

/** Returns the check of a code against the version of a key. */
function macCheck({ materials, store }: VaultEnvironment, body: ParsedVerifyRequest['body']) {
  const data = givenBytes(body.data, body.data_crc32c, 'data')
  const mac = givenBytes(body.mac, body.mac_crc32c, 'mac')
  return (version: StoredKeyVersion): Promise<boolean> =>
    materials.use(store, version, material => fitsMac(macSchemeOf(version), bytesOf(version, material), data, mac))
}

/**
 * Returns the check of a signature against the version of a key. A version of another algorithm, which signs no such
 * input, does not fit; the check throws FIELD_INVALID for the primary or named version.
 */
function signatureCheck(body: ParsedVerifyRequest['body']) {
  const input = inputOf(body)
  const signature = givenBytes(body.signature, body.signature_crc32c, 'signature')
  return async (version: StoredKeyVersion): Promise<boolean> => {
    const fault = inputFault(version, input)
    if (fault && (version.is_primary || version.id === body.key_version)) throw fieldInvalid([fault])
    if (fault) return false
    const key = publicKeyOf(version.public_key_pem)
    return fitsSignature(signSchemeOf(version), key, input.signed, { encoding: input.encoding, signature })
  }
}

function signSchemeOf(version: StoredKeyVersion): SignScheme {
  const scheme = schemeOf(version.algorithm)
  if (scheme.kind === 'cipher' || scheme.kind === 'mac' || scheme.kind === 'rsa-oaep') throw unfit(version)
  return scheme
}

function macSchemeOf(version: StoredKeyVersion): MacScheme {
  const scheme = schemeOf(version.algorithm)
  if (scheme.kind !== 'mac') throw unfit(version)
  return scheme
}

function bytesOf(version: StoredKeyVersion, material: OpenMaterial): Buffer {
  if (!Buffer.isBuffer(material)) throw unfit(version)
  return material
}

/** Makes STORED_DATA_CORRUPT for a version whose algorithm does not belong to the purpose of its key. */
const unfit = ({ algorithm, row_id }: StoredKeyVersion) =>
  storedDataCorrupt(`version ${row_id} has the algorithm ${algorithm}; ask the operator to run the doctor`, {
    resource: { type: 'vault.cryptoKeyVersions', name: row_id },
  })
