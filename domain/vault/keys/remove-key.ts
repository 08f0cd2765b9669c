import type { CryptoKey } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Reader, Store, Stored, Transaction } from '../../ports/store.ts'
import { forgetRow } from '../../resources/references.ts'
import type { VaultEnvironment } from '../environment.ts'
import { agenda, clearAgenda, setAgenda } from '../work/agenda.ts'
import { cryptoKeyKind } from './crypto-key-kind.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { keyVersionCollection } from './key-versions-store.ts'

type Parts = Pick<VaultEnvironment, 'materials' | 'taxonomy'>

/** The maximal number of versions that are erased in the transaction that removes their key. */
const mostAtOnce = 4

/** The time after which a batch of erasures ends, in milliseconds; the commit takes about as long. */
const batchMs = 4

const erasureOf = (key: string): string => `cryptoKeys.erase/${key}`

/** Whether the versions of a removed key are still to be erased. */
export const isErasingKey = (reader: Reader, key: string): Promise<boolean> =>
  reader.exists(agenda, { id: erasureOf(key) })

/**
 * Removes a key with its versions, its material and its due work. If there are many versions, their erasure is only
 * recorded, and the worker of the agenda erases them in batches; no call finds a version without its key. The transaction
 * has shared the organisation and locked the key.
 */
export async function removeKey(
  parts: Parts,
  tx: Transaction,
  { id, value, version }: Stored<CryptoKey>,
  now: number,
): Promise<void> {
  await clearAgenda(tx, id)
  await forgetRow(tx, { type: cryptoKeyKind.type, id })
  if (value.version_count > mostAtOnce) await setAgenda(tx, 'cryptoKeys.erase', value, formatMillis(now))
  else for await (const row of versionsOf(tx, id)) await eraseVersion(parts, tx, row)
  await tx.delete(cryptoKeyCollection, id, version)
  await parts.taxonomy.consume(tx, value.workspace_id, [{ quota: 'vault.cryptoKeys', amount: -1 }])
}

/** Erases the versions of a removed key in batches, so that neither the event loop nor other writers wait long. */
export async function eraseKeyVersions(
  parts: Pick<VaultEnvironment, 'materials'> & { readonly store: Store },
  key: string,
): Promise<void> {
  while (await parts.store.tx(tx => eraseKeyBatch(parts, tx, key)));
}

/** Erases some versions of a removed key; returns whether versions are left. Concurrent batches wait for each other. */
export async function eraseKeyBatch(
  parts: Pick<VaultEnvironment, 'materials'>,
  tx: Transaction,
  key: string,
): Promise<boolean> {
  const order = await tx.lock(agenda, erasureOf(key))
  if (!order) return false
  const end = performance.now() + batchMs
  for await (const row of versionsOf(tx, key)) {
    await eraseVersion(parts, tx, row)
    if (performance.now() > end) return true
  }
  await tx.delete(agenda, order.id, order.version)
  return false
}

const versionsOf = (reader: Reader, crypto_key_id: string) => reader.each(keyVersionCollection, { crypto_key_id })

/** Deletes a version with its material and its due work. */
async function eraseVersion(
  { materials }: Pick<VaultEnvironment, 'materials'>,
  tx: Transaction,
  { id, value, version }: Stored<{ readonly workspace_id: string }>,
): Promise<void> {
  await materials.remove(tx, id)
  await setAgenda(tx, 'cryptoKeyVersions.destroy', { id, workspace_id: value.workspace_id }, undefined)
  await tx.delete(keyVersionCollection, id, version)
}
