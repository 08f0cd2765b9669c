import { createWriteStream, renameSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { BootContent } from '../../../domain/compute/drivers/driver.ts'
import type { BaseImage } from './disks.ts'
import { described } from './image-files.ts'
import { fileNames, partial, type VmFolder } from './vm-folder.ts'

/** The name in messages of a boot disk's content that comes from an object. */
export const objectImage = 'of the object'

/**
 * Copies the content of a boot disk to the folder of its machine, once, and returns the copy: the disk begins with the
 * copy, and goes with the folder. Throws `BootContentFault`, `ImageFault` for content that QEMU must not open, and the
 * error of the host.
 */
export async function copiedObject(folder: VmFolder, content: BootContent, signal: AbortSignal): Promise<BaseImage> {
  const { source } = fileNames
  if (!folder.has(source)) {
    const unfinished = folder.file(source + partial)
    await pipeline(content.read(), createWriteStream(unfinished, { mode: 0o600, flush: true }), { signal })
    renameSync(unfinished, folder.file(source))
  }
  return described(objectImage, folder.file(source), source)
}
