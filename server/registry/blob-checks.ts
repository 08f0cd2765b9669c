import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../domain/ports/inspection.ts'
import type { Reader } from '../../domain/ports/store.ts'
import { blobCollection } from '../../domain/registry/blobs/blobs-store.ts'
import type { AreaHost, HostPlace } from '../area-host.ts'
import type { SettingValues } from '../settings/declarations.ts'
import { inspectBucket } from './bucket-checks.ts'
import { blobFolder, bucketIn, type registrySettings } from './settings.ts'

/**
 * Returns the check of the blobs in the folder or the bucket of the setting `registry.blob_store`. Files and objects without
 * a row are no contradiction, because the server deletes them.
 */
export function blobStoreHost(
  { dataDir, hasStore }: Pick<HostPlace, 'dataDir' | 'hasStore'>,
  { 'registry.blob_store': blobStore }: SettingValues<typeof registrySettings>,
): AreaHost {
  const bucket = bucketIn(blobStore)
  if (bucket !== undefined) return { checks: [({ reader }) => inspectBucket(reader, bucket)] }
  const folder = blobFolder(blobStore, dataDir)
  // Without a folder, another host may have the blobs, unless the store lies on this host too.
  const before = filesBelow(folder) ?? (hasStore ? new Set<string>() : undefined)
  return { checks: before ? [({ reader }) => inspectFiles(reader, folder, before)] : [] }
}

/** `before` are the files before the snapshot: one of them that is gone was collected since. */
async function* inspectFiles(
  reader: Reader,
  folder: string,
  before: ReadonlySet<string>,
): AsyncGenerator<Finding, void, undefined> {
  for await (const { id, value } of reader.each(blobCollection, { state: 'LINKED' })) {
    const stats = lstatSync(join(folder, value.file), { throwIfNoEntry: false })
    const message = stats === undefined && before.has(value.file) ? undefined : faultOf(value, stats)
    if (message !== undefined) yield { resourceType: 'registry.blobs', id, message }
  }
}

function faultOf(
  { file, size }: { readonly file: string; readonly size: number },
  stats: { readonly size: number; isFile(): boolean } | undefined,
): string | undefined {
  if (stats === undefined) return `lacks the file ${file}`
  if (!stats.isFile()) return `has ${file}, which is no regular file`
  return stats.size === size ? undefined : `has ${size} bytes in ${file}; the file has ${stats.size}`
}

/** Returns the paths of the files of blobs; undefined without a folder that can be read. */
function filesBelow(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(join(folder, 'blobs'), { recursive: true }).map(path => `blobs/${String(path)}`))
  } catch {
    return undefined
  }
}
