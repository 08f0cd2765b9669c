import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../domain/ports/inspection.ts'
import type { Reader } from '../../domain/ports/store.ts'
import { contentCollection, type ContentFile } from '../../domain/storage/contents/contents-store.ts'
import { partCollection, uploadCollection } from '../../domain/storage/uploads/uploads-store.ts'
import type { AreaHost } from '../area-host.ts'
import { folderIn, type InstanceRoot } from './instances/instance-roots.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** The files of an instance at a moment. */
interface InstanceFiles {
  readonly folder: string
  readonly paths: ReadonlySet<string>
}

/**
 * Returns the check of the files of contents in the roots of a host. Files without a row are no contradiction, because
 * the server deletes them. With `hasAll`, all instances with content must have a folder below the roots; otherwise
 * another host may have the folder.
 */
export function contentFiles(roots: readonly InstanceRoot[], hasAll: boolean): AreaHost {
  const before = new Map<string, InstanceFiles>()
  for (const instance of roots.flatMap(({ path }) => namesIn(path))) {
    const folder = folderIn(roots, instance)
    if (folder !== undefined) before.set(instance, { folder, paths: pathsIn(folder) })
  }
  const isAbsent = (instance: string): boolean => hasAll && folderIn(roots, instance) === undefined
  return { checks: [({ reader }) => inspectFiles(reader, before, isAbsent)] }
}

/**
 * Compares the rows with the files. Servers may change the files before and after the snapshot with the rows, so a
 * missing file must be absent from `before`, the files before the snapshot, and from the present files. `isAbsent` says
 * whether an instance should have a folder and has none.
 */
async function* inspectFiles(
  reader: Reader,
  before: ReadonlyMap<string, InstanceFiles>,
  isAbsent: (instance: string) => boolean,
): Findings {
  const unknown = new Set<string>()
  const faultsOf = (instance: string, files: readonly ContentFile[]): readonly string[] => {
    const known = before.get(instance)
    if (!known) {
      unknown.add(instance)
      return []
    }
    return files.flatMap(({ path, size }) => {
      const bytes = bytesOf(join(known.folder, path))
      if (bytes === 'other') return [`has ${path} of instance ${instance}, which is no regular file`]
      if (bytes === undefined) return known.paths.has(path) ? [] : [`lacks the file ${path} of instance ${instance}`]
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
  for (const id of unknown) {
    if (!isAbsent(id)) continue
    const message = 'has content, and no folder on this host; look for the folder, and check the setting storage.roots'
    yield { resourceType: 'storage.storageClassInstances', id, message }
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
