import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readSafe } from '../../../../domain/vault/seal/open-safe.ts'
import { wrapSnapshotKey } from '../../../../domain/vault/seal/snapshot-key.ts'
import { storeFile, type StorePlace } from '../../../../server/platform-store.ts'
import { exportedCollections } from '../../../../server/vault/snapshots/exported.ts'
import { openExported } from '../../../../server/vault/snapshots/open-exported.ts'
import { SnapshotFolder } from '../../../../server/vault/snapshots/snapshot-folder.ts'
import { verifySnapshot, writeSnapshot } from '../../../../server/vault/snapshots/write-snapshot.ts'
import { devRoot } from './taken.ts'

/** Takes a snapshot of a place as a server and its thread do, but in this thread. */
export async function takeInProcess(place: StorePlace, id: string): Promise<void> {
  const root = devRoot(place)
  const folder = new SnapshotFolder(join(place.dataDir, 'snapshots'))
  await folder.make()
  await folder.sweep(undefined)
  const collections = exportedCollections()
  const snapshot = await openExported({ file: storeFile(place.dataDir), storeUrl: place.storeUrl }, collections)
  try {
    const safe = await readSafe(snapshot, { current: root })
    if (!('keys' in safe)) throw new Error(safe.reason)
    const key = randomBytes(32)
    const header = {
      format: 'ninefold-vault-snapshot-v1',
      ...wrapSnapshotKey(root, safe.installation, id, key),
      create_time: '2026-01-01T00:00:00.000Z',
      schema_version: 1,
      description: '',
    } as const
    const file = { part: folder.partOf(id), header, key, collections }
    await writeSnapshot(snapshot, file)
    await verifySnapshot(file)
  } finally {
    await snapshot.close()
  }
  await folder.finish(id)
  await folder.prune(1)
}
