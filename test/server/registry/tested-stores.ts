import { lstatSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { BlobStore } from '../../../domain/registry/blobs/blob-store.ts'
import { versionCollection } from '../../../domain/storage/objects/versions-store.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { BlobBucket } from '../../../server/registry/blob-bucket.ts'
import { BlobFolder } from '../../../server/registry/blob-folder.ts'
import { allOf } from '../../all-of.ts'
import { functionCaller } from '../../areas/function-caller.ts'
import { tenantStorage } from '../../domain/storage/tenant-storage.ts'
import { openBeside } from '../store/left-place.ts'
import { testFolder, type Later } from '../store/harness.ts'

/** A new blob store, and what a test sees behind its port. */
export interface TestedStore {
  readonly store: BlobStore
  /** The faults that were reported: their kinds or reasons. */
  readonly faults: readonly string[]
  /** Returns the store of another process over the same bytes. */
  next(): BlobStore
  /** Returns the paths of all uploads and blobs. */
  paths(): Promise<readonly string[]>
  /** Makes a file or object look as if it was written long ago. */
  age(path: string): Promise<void>
}

/** Returns a function that makes stores in folders of their own. */
export function folderStores(): Promise<() => Promise<TestedStore>> {
  const made = async (): Promise<TestedStore> => {
    const folder = join(testFolder(), 'registry')
    const faults: string[] = []
    const next = () => new BlobFolder({ folder, report: ({ kind }) => void faults.push(kind) })
    return {
      store: next(),
      faults,
      next,
      paths: async () =>
        readdirSync(folder, { recursive: true })
          .map(String)
          .filter(path => lstatSync(join(folder, path)).isFile()),
      age: async path => utimesSync(join(folder, path), 1, 1),
    }
  }
  return Promise.resolve(made)
}

/** Starts a platform, and returns a function that makes stores in buckets of their own. */
export async function bucketStores(later: Later): Promise<() => Promise<TestedStore>> {
  const caller = functionCaller()
  const { admin, platform, workspace } = await tenantStorage({}, { areas: caller.areas, later })
  const storage = caller.functions('storage')
  let buckets = 0
  return async () => {
    const body = { name: `blobs-${(buckets += 1)}` }
    const { resource_id: bucket } = await admin.api.storage.createBucket({ workspace, engine: 'native', body })
    const place = { workspace, bucket }
    const faults: string[] = []
    const next = () =>
      new BlobBucket({ storage: () => storage, place, report: ({ reason }) => void faults.push(reason) })
    return {
      store: next(),
      faults,
      next,
      paths: async () => (await allOf(storage.listObjects(place, ''))).map(({ object }) => object),
      async age(object) {
        const { versionId } = await storage.statObject(undefined, { ...place, object })
        const store = await openBeside(platform.config, storeCollections(areas))
        await store.tx(async tx => {
          const version = await tx.get(versionCollection, versionId)
          if (!version) throw new Error('the version is gone')
          const create_time = '2020-01-01T00:00:00.000Z'
          await tx.update(versionCollection, versionId, { ...version.value, create_time }, version.version)
        })
        await store.close()
      },
    }
  }
}
