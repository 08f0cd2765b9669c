import { readSync, renameSync, rmSync } from 'node:fs'
import type { Disk } from '../../../domain/compute/drivers/driver.ts'
import { headerBytes, qcow2HeaderOf, type Qcow2Header } from '../../../domain/compute/images/qcow2.ts'
import { readRegularFile } from '../regular-file.ts'
import { runProgram } from './programs.ts'
import { diskFile, partial, type VmFolder } from './vm-folder.ts'

/** The content with which a disk begins: a file of a named format. */
export interface BaseImage {
  /** The path of the file, absolute or relative to the folder of the machine. */
  readonly path: string
  readonly format: 'raw' | 'qcow2'
  /** The size of the disk that the file stands for. */
  readonly virtualBytes: number
}

/** The time limit of `qemu-img` in milliseconds. Each command writes a few sectors only. */
const imageMs = 60_000

/** The number of bytes of a GiB. */
export const bytesPerGib: number = 2 ** 30

/** Returns the size of a disk in bytes. Throws unless the size is a whole number of GiB from 1 to 65,536. */
export function bytesOf({ size_gib }: Pick<Disk, 'size_gib'>): number {
  if (!Number.isInteger(size_gib) || size_gib < 1 || size_gib > 65_536) throw new Error(`${size_gib} GiB is no disk`)
  return size_gib * bytesPerGib
}

/**
 * Returns the length of the regular file at a path, and the facts of its header if the file is qcow2. Throws for a path
 * of another kind.
 */
export function diskFacts(path: string): { readonly bytes: number; readonly qcow2?: Qcow2Header } {
  return readRegularFile(path, (descriptor, bytes) => {
    const header = Buffer.alloc(headerBytes)
    readSync(descriptor, header, 0, headerBytes, 0)
    const qcow2 = qcow2HeaderOf(header, bytes)
    return qcow2 ? { bytes, qcow2 } : { bytes }
  })
}

/** Returns the facts of the qcow2 file at a path; undefined for a file of another format. */
export const qcow2Header = (path: string): Qcow2Header | undefined => diskFacts(path).qcow2

/** Creates a disk unless the disk exists. `base` is the first content of the disk; absent: an empty disk. */
export async function createDisk(
  folder: VmFolder,
  disk: Disk,
  base: BaseImage | undefined,
  signal: AbortSignal,
): Promise<void> {
  const name = diskFile(disk.name)
  if (folder.has(name)) return
  const unfinished = name + partial
  rmSync(folder.file(unfinished), { force: true })
  const words = base ? ['-b', base.path, '-F', base.format] : []
  const size = String(bytesOf(disk))
  await runProgram('qemu-img', ['create', '-q', '-f', 'qcow2', ...words, unfinished, size], {
    folder: folder.path,
    signal,
    timeoutMs: imageMs,
  })
  renameSync(folder.file(unfinished), folder.file(name))
}

/** Grows the disk of a machine that is off; a disk of this size or larger stays as it is. */
export async function growDisk(folder: VmFolder, disk: Disk): Promise<void> {
  const name = diskFile(disk.name)
  const size = bytesOf(disk)
  if ((qcow2Header(folder.file(name))?.virtualBytes ?? 0) >= size) return
  await runProgram('qemu-img', ['resize', '-q', '-f', 'qcow2', name, String(size)], {
    folder: folder.path,
    timeoutMs: imageMs,
  })
}
