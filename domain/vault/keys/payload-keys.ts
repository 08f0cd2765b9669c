import { cryptoKeyNotFound, storedDataCorrupt } from '../../../output/vault/errors.ts'
import { ApiError, atField } from '../../../runtime/errors.ts'
import { isAt } from '../../resources/find-rows.ts'
import { addReference } from '../../resources/references.ts'
import type { KeyedSecret, PayloadKeys } from '../secrets/payload-keys.ts'
import { cryptoKeyKind } from './crypto-key-kind.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { decrypted, encrypted } from './encryption.ts'
import { requirePurpose, usableVersion } from './find-key.ts'
import { requireNotScheduled } from './key-versions.ts'
import type { Materials } from './materials.ts'
import { readMessage } from './messages.ts'

/** Returns the encryption of payloads of secrets under crypto keys. */
export const payloadKeys = (materials: Materials): PayloadKeys => ({
  async require(tx, { crypto_key_id, engine, id, workspace_id: workspace }) {
    if (crypto_key_id === '') return
    const key = await tx.share(cryptoKeyCollection, crypto_key_id)
    if (!key || !isAt(key.value, { workspace, engine })) throw absentKey({ crypto_key_id, workspace_id: workspace })
    try {
      requireNotScheduled(key.value)
      requirePurpose(key.value, 'ENCRYPT_DECRYPT')
    } catch (error) {
      throw error instanceof ApiError ? atField(error, 'crypto_key_id') : error
    }
    await addReference(tx, { type: cryptoKeyKind.type, id: crypto_key_id }, { type: 'vault.secrets', id })
  },
  async encrypt(tx, secret, plain, additional) {
    const key = await tx.share(cryptoKeyCollection, secret.crypto_key_id)
    if (!key) throw absentKey(secret)
    const version = await usableVersion(tx, key.value, '')
    const ciphertext = await encrypted(materials, tx, version, Buffer.from(plain), additional)
    return { crypto_key_version: version.id, ciphertext }
  },
  async decrypt(reader, secret, { ciphertext, crypto_key_version }, additional) {
    const key = await reader.get(cryptoKeyCollection, secret.crypto_key_id)
    if (!key) throw absentKey(secret)
    const version = await usableVersion(reader, key.value, crypto_key_version)
    const message = readMessage(ciphertext)
    const plain = message && (await decrypted(materials, reader, version, message, additional))
    if (plain) return plain
    throw storedDataCorrupt(`the payload of secret ${secret.id} cannot be read; restore it from a backup`, {
      resource: { type: 'vault.secrets', name: secret.id },
    })
  },
})

const absentKey = ({ crypto_key_id, workspace_id }: Pick<KeyedSecret, 'crypto_key_id' | 'workspace_id'>) =>
  atField(
    cryptoKeyNotFound(`workspace ${workspace_id} has no crypto key ${crypto_key_id}`, {
      resource: { type: cryptoKeyKind.type, name: crypto_key_id },
    }),
    'crypto_key_id',
  )
