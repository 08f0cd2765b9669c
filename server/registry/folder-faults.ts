import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../store/sqlite/store-file.ts'

/**
 * Returns what makes the folder of `registry.blob_store` unusable, as lines for the person who starts the server. The
 * folder itself is made on demand, but not its parent, because an absent parent may be a disk that is not mounted. The
 * server starts nevertheless, and takes blobs once the fault is ended.
 */
export function folderFaults(folder: string): readonly string[] {
  const parent = dirname(folder)
  const own = faultOf(folder)
  const fault = faultOf(parent) ?? (own?.isAbsent === true ? undefined : own)
  if (!fault) return []
  const remedy = fault.isAbsent ? 'mount the disk, or create the folder' : 'name another folder, or change this one'
  return [`the blobs of registry.blob_store cannot lie in ${folder}, because ${fault.message}; ${remedy}`]
}

interface Fault {
  readonly message: string
  readonly isAbsent: boolean
}

/** Returns why a path is no folder; undefined for a folder. */
function faultOf(path: string): Fault | undefined {
  try {
    if (statSync(path).isDirectory()) return undefined
    return { message: `${path} is no folder`, isAbsent: false }
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return { message: `${path} does not exist`, isAbsent: true }
    return { message: `${path} cannot be read (${code})`, isAbsent: false }
  }
}
