import { randomBytes } from 'node:crypto'
import { decryptionFailed, storedDataCorrupt } from '../../../output/vault/errors.ts'
import type { CryptoKeyHandlers } from '../../../output/vault/handlers.ts'
import type { CryptoKey, ParsedDecryptRequest } from '../../../output/vault/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { isUuid } from '../../../runtime/formats.ts'
import type { FormRule } from '../../../runtime/form-rules.ts'
import { fieldInvalid } from '../../../runtime/refusal.ts'
import type { Reader } from '../../ports/store.ts'
import { useActivity } from '../audit/use-activity.ts'
import type { VaultEnvironment } from '../environment.ts'
import { crc32c } from '../../resources/crc32c.ts'
import { knownVersion, usableKey } from './find-key.ts'
import { checksumRule, checkText, givenBytes } from './given-bytes.ts'
import { schemeOf } from './key-form.ts'
import type { StoredKeyVersion } from './key-versions-store.ts'
import type { Materials, OpenMaterial } from './materials.ts'
import { decryptMessage, encryptMessage, readMessage, type Message, type MessageKey } from './messages.ts'
import { decryptOaep } from './oaep.ts'
import { unusable } from './primary-version.ts'

/** The calls that encrypt and decrypt. */
export type EncryptionCalls = Pick<CryptoKeyHandlers, 'decrypt' | 'encrypt' | 'generateDataEncryptionKey' | 'reEncrypt'>

/** Returns the calls that encrypt and decrypt (vault.md 4.2). */
export function encryptionCalls(environment: VaultEnvironment): EncryptionCalls {
  const { accesses, materials, store } = environment
  return {
    async encrypt(request) {
      const { additional_authenticated_data, additional_authenticated_data_crc32c, key_version, ...body } = request.body
      const plaintext = givenBytes(body.plaintext, body.plaintext_crc32c, 'plaintext')
      const data = additionalOf({ additional_authenticated_data, additional_authenticated_data_crc32c })
      const key = await usableKey(environment, request, 'ENCRYPT_DECRYPT')
      const version = await knownVersion(environment, key, key_version)
      const ciphertext = await encrypted(materials, store, version, plaintext, data)
      return { ...ciphertextOf(ciphertext), key_version: version.id, algorithm: version.algorithm }
    },
    async decrypt(request, context) {
      const { body } = request
      const data = dataOf(body)
      const key = await usableKey(environment, request, 'ENCRYPT_DECRYPT', 'ASYMMETRIC_DECRYPT')
      const isAsymmetric = key.purpose === 'VAULT_CRYPTO_KEY_PURPOSE_ASYMMETRIC_DECRYPT'
      const { plaintext, version } = isAsymmetric
        ? await openAsymmetric(environment, key, body)
        : await openMessage(environment, key, body, data)
      const answer = {
        ...plaintextOf(plaintext),
        key_version: version.id,
        used_primary: version.id === key.primary_version,
      }
      plaintext.fill(0)
      await accesses.record(useActivity(context, version))
      return answer
    },
    async reEncrypt(request, context) {
      const data = dataOf(request.body)
      const key = await usableKey(environment, request, 'ENCRYPT_DECRYPT')
      const primary = await knownVersion(environment, key, '')
      const { plaintext, version } = await openMessage(environment, key, { ...request.body, key_version: '' }, data)
      const ciphertext = await encrypted(materials, store, primary, plaintext, data)
      await accesses.record(useActivity(context, version))
      return { ...ciphertextOf(ciphertext), source_key_version: version.id, key_version: primary.id }
    },
    async generateDataEncryptionKey(request, context) {
      const { include_plaintext, key_size_bytes } = request.body
      const data = additionalOf(request.body)
      const key = await usableKey(environment, request, 'ENCRYPT_DECRYPT')
      const version = await knownVersion(environment, key, '')
      const plaintext = randomBytes(key_size_bytes)
      const shown = include_plaintext ? plaintextOf(plaintext) : {}
      const ciphertext = await encrypted(materials, store, version, plaintext, data)
      await accesses.record(useActivity(context, version))
      return { ...shown, ...ciphertextOf(ciphertext), key_version: version.id }
    },
  }
}

/** The additional data of a request. */
interface Additional {
  readonly additional_authenticated_data?: string | undefined
  readonly additional_authenticated_data_crc32c?: number | undefined
}

/** The rule for the checksum of the additional data of a request (step 5). */
export const additionalRule: FormRule = checksumRule('additional_authenticated_data')

const additionalOf = (body: Additional): Buffer =>
  givenBytes(
    body.additional_authenticated_data,
    body.additional_authenticated_data_crc32c,
    'additional_authenticated_data',
  )

/** Checks the ciphertext of a request, and returns its additional data. */
function dataOf(body: Additional & { readonly ciphertext: string; readonly ciphertext_crc32c?: number }): Buffer {
  checkText(body.ciphertext, body.ciphertext_crc32c, 'ciphertext')
  return additionalOf(body)
}

const ciphertextOf = (ciphertext: string) => ({ ciphertext, ciphertext_crc32c: crc32c(Buffer.from(ciphertext)) })

const plaintextOf = (plaintext: Buffer) => ({
  plaintext: plaintext.toString('base64'),
  plaintext_crc32c: crc32c(plaintext),
})

/** Encrypts under a version of a key, and overwrites the plaintext. Returns the text of the ciphertext. */
export function encrypted(
  materials: Materials,
  reader: Reader,
  version: StoredKeyVersion,
  plaintext: Buffer,
  data: Uint8Array,
): Promise<string> {
  return materials.use(reader, version, material => {
    const ciphertext = encryptMessage(messageKey(version, material), plaintext, data)
    plaintext.fill(0)
    return ciphertext
  })
}

/** Decrypts under a version of a key; undefined for a message that the version does not open. */
export const decrypted = (
  materials: Materials,
  reader: Reader,
  version: StoredKeyVersion,
  message: Message,
  data: Uint8Array,
): Promise<Buffer | undefined> =>
  materials.use(reader, version, material => decryptMessage(messageKey(version, material), message, data))

function messageKey(version: StoredKeyVersion, material: OpenMaterial): MessageKey {
  const scheme = schemeOf(version.algorithm)
  const { crypto_key_id, id, row_id } = version
  if (scheme.kind !== 'cipher' || !Buffer.isBuffer(material) || !isUuid(crypto_key_id))
    throw storedDataCorrupt(`version ${row_id} cannot encrypt; ask the operator to run the doctor`, {
      resource: { type: 'vault.cryptoKeyVersions', name: row_id },
    })
  return { scheme, key: Buffer.from(crypto_key_id.replaceAll('-', ''), 'hex'), version: Number(id), material }
}

/** A plaintext, and the version that has opened it. */
interface Opened {
  readonly plaintext: Buffer
  readonly version: StoredKeyVersion
}

/** Opens the ciphertext of a symmetric key. Every failure is one answer, so that a caller learns nothing from it. */
async function openMessage(
  { knownKeys, materials, store }: VaultEnvironment,
  key: CryptoKey,
  body: ParsedDecryptRequest['body'],
  data: Uint8Array,
): Promise<Opened> {
  const message = readMessage(body.ciphertext)
  if (!message) throw unopened()
  if (body.key_version !== '' && body.key_version !== String(message.version))
    throw fieldInvalid([{ field: 'key_version', description: 'must be the version that the ciphertext names' }])
  const stored = await knownKeys.version(store, key.id, String(message.version))
  if (!stored) throw unopened()
  const fault = unusable(stored.value)
  if (fault) throw fault
  const plaintext = await decrypted(materials, store, stored.value, message, data)
  if (!plaintext) throw unopened()
  return { plaintext, version: stored.value }
}

/** Opens the ciphertext of an RSA key. */
async function openAsymmetric(
  environment: VaultEnvironment,
  key: CryptoKey,
  body: ParsedDecryptRequest['body'],
): Promise<Opened> {
  requireBare(body)
  const { materials, store } = environment
  const ciphertext = Buffer.from(body.ciphertext, 'base64')
  const version = await knownVersion(environment, key, body.key_version)
  const isStrict = ciphertext.toString('base64') === body.ciphertext
  const plaintext = await materials.use(store, version, material =>
    isStrict && !Buffer.isBuffer(material) ? decryptOaep(material, ciphertext) : undefined,
  )
  if (!plaintext) throw unopened()
  return { plaintext, version }
}

/** Throws FIELD_INVALID unless a request for RSA names a version and has no additional data. */
function requireBare({ additional_authenticated_data, key_version }: ParsedDecryptRequest['body']): void {
  const faults = [
    ...(key_version === '' ? [{ field: 'key_version', description: 'is required for an asymmetric key' }] : []),
    ...(additional_authenticated_data === undefined
      ? []
      : [{ field: 'additional_authenticated_data', description: 'cannot be given for an asymmetric key' }]),
  ]
  if (faults.length > 0) throw fieldInvalid(faults)
}

/** Makes DECRYPTION_FAILED, which is the same for every cause. */
const unopened = () =>
  faultAt(decryptionFailed, 'ciphertext', 'the ciphertext cannot be decrypted with this key and this additional data')
