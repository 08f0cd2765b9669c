import type { Store } from '../../../../domain/ports/store.ts'
import { cryptoKeyCollection } from '../../../../domain/vault/keys/crypto-keys-store.ts'
import { destroyed } from '../../../../domain/vault/keys/key-deletion.ts'
import {
  keyVersionCollection,
  keyVersionRowId,
  materialCollection,
} from '../../../../domain/vault/keys/key-versions-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'

/** The numbers of versions of a key. */
export interface VersionCounts {
  readonly versions: number
  /** The number of the first versions, which are not destroyed; the quota permits 100. */
  readonly alive: number
}

/** Adds versions to a key that has one version, past the API, which would take a rotation for each. */
export async function addVersions(store: Store, key: string, { alive, versions }: VersionCounts): Promise<void> {
  await store.tx(async tx => {
    const row = await tx.lock(cryptoKeyCollection, key)
    const version = (await tx.get(keyVersionCollection, keyVersionRowId(key, '1')))?.value
    const material = (await tx.get(materialCollection, keyVersionRowId(key, '1')))?.value
    if (!row || !version || !material) throw new Error('the key is absent')
    for (let number = 2; number <= versions; number += 1) {
      const [id, row_id] = [String(number), keyVersionRowId(key, String(number))]
      const next = { ...version, id, row_id, version: number, is_primary: false }
      await tx.insert(keyVersionCollection, number <= alive ? next : destroyed(next, Date.now()))
      if (number <= alive) await tx.insert(materialCollection, { ...material, id: row_id })
    }
    await tx.update(cryptoKeyCollection, key, { ...row.value, version_count: versions }, row.version)
  })
}

/** Ends the windows of all versions of a key that is going to be deleted. */
export async function endWindows(store: Store, key: string, { alive }: Pick<VersionCounts, 'alive'>): Promise<void> {
  const now = new Date().toISOString()
  await store.tx(async tx => {
    for (let number = 1; number <= alive; number += 1) {
      const id = keyVersionRowId(key, String(number))
      const version = await tx.lock(keyVersionCollection, id)
      const entry = await tx.lock(agenda, `cryptoKeyVersions.destroy/${id}`)
      if (!version || !entry) throw new Error(`${id} is not to be destroyed`)
      await tx.update(keyVersionCollection, id, { ...version.value, destroy_time: now }, version.version)
      await tx.update(agenda, entry.id, { ...entry.value, due_time: now }, entry.version)
    }
  })
}
