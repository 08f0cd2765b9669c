import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../domain/ports/inspection.ts'
import type { Reader } from '../../domain/ports/store.ts'
import { contentCollection, type ContentFile } from '../../domain/storage/contents/contents-store.ts'
import { partCollection, uploadCollection } from '../../domain/storage/uploads/uploads-store.ts'
import type { AreaHost, HostPlace } from '../area-host.ts'
import { storageFolder } from './settings.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Returns the check of the files of contents in the default folder of a host; instances in other folders are not
 * checked. Files without a row are no contradiction, because the server deletes them.
 */
export function contentFiles({ dataDir }: Pick<HostPlace, 'dataDir'>): AreaHost {
  const folder = storageFolder(dataDir)
  const before = new Map(namesIn(folder).map(instance => [instance, pathsIn(join(folder, instance))]))
  return { checks: [({ reader }) => inspectFiles(reader, folder, before)] }
}

/**
 * Compares the rows with the files. Servers may change the files before and after the snapshot with the rows, so a
 * missing file must be absent from `before`, the files before the snapshot, and from the present files.
 */
async function* inspectFiles(
  reader: Reader,
  folder: string,
  before: ReadonlyMap<string, ReadonlySet<string>>,
): Findings {
  const faultsOf = (instance: string, files: readonly ContentFile[]): readonly string[] => {
    const known = before.get(instance)
    if (!known) return []
    return files.flatMap(({ path, size }) => {
      const bytes = bytesOf(join(folder, instance, path))
      if (bytes === 'other') return [`has ${path} of instance ${instance}, which is no regular file`]
      if (bytes === undefined) return known.has(path) ? [] : [`lacks the file ${path} of instance ${instance}`]
      return bytes === size ? [] : [`has ${size} bytes in ${path} of instance ${instance}; the file has ${bytes}`]
    })
  }
  for await (const { id, value } of reader.each(contentCollection)) {
    // The files of a content without a version may be gone already.
    if (value.references === 0) continue
    for (const message of faultsOf(value.instance_id, value.files))
      yield { resourceType: 'storage.contents', id, message }
  }
  const active = { state: 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' } as const
  for await (const { id, value } of reader.each(uploadCollection, active)) {
    for await (const part of reader.each(partCollection, { upload_id: id })) {
      for (const message of faultsOf(value.instance_id, [part.value]))
        yield { resourceType: 'storage.multipartUploads', id, message }
    }
  }
}

/** Returns the size of a regular file in bytes; `other` for a link, a pipe or a folder, undefined without any of them. */
function bytesOf(file: string): number | 'other' | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  return stats.isFile() ? stats.size : 'other'
}

/** Returns the paths of the files of an instance: `objects/<2 hex>/<content id>` and `parts/<upload id>/<file>`. */
function pathsIn(folder: string): ReadonlySet<string> {
  const paths = new Set<string>()
  for (const kind of ['objects', 'parts'])
    for (const group of namesIn(join(folder, kind)))
      for (const name of namesIn(join(folder, kind, group))) paths.add(`${kind}/${group}/${name}`)
  return paths
}

/** Returns the names in a folder; none if there is no such folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
