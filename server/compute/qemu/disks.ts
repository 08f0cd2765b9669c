import { closeSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import type { Disk } from '../../../domain/compute/drivers/driver.ts'
import { runProgram } from './programs.ts'
import { diskFile, partial, type VmFolder } from './vm-folder.ts'

/** The content with which a disk begins: a file of a named format. */
export interface BaseImage {
  /** The path of the file, absolute or relative to the folder of the machine. */
  readonly path: string
  readonly format: 'raw' | 'qcow2'
}

/** The facts of the header of a qcow2 file (docs/interop/qcow2.txt of QEMU). */
export interface Qcow2Header {
  readonly virtualBytes: number
  /** Whether the file needs other files: a backing file or an external data file. */
  readonly hasOtherFiles: boolean
}

/** The time limit of `qemu-img` in milliseconds. Each command writes a few sectors only. */
const imageMs = 60_000

const bytesPerGib = 2 ** 30

const headerBytes = 80

/** Returns the size of a disk in bytes. Throws unless the size is a whole number of GiB from 1 to 65,536. */
export function bytesOf({ size_gib }: Pick<Disk, 'size_gib'>): number {
  if (!Number.isInteger(size_gib) || size_gib < 1 || size_gib > 65_536) throw new Error(`${size_gib} GiB is no disk`)
  return size_gib * bytesPerGib
}

/** Returns the facts of the qcow2 file at a path; undefined for a file of another format. */
export function qcow2Header(path: string): Qcow2Header | undefined {
  const header = Buffer.alloc(headerBytes)
  const descriptor = openSync(path, 'r')
  try {
    readSync(descriptor, header, 0, headerBytes, 0)
  } finally {
    closeSync(descriptor)
  }
  if (header.toString('latin1', 0, 4) !== 'QFI\u00fb') return undefined
  // Bit 2 of the incompatible features of version 3 marks an external data file.
  const hasDataFile = header.readUInt32BE(4) >= 3 && (header.readUInt8(79) & 4) !== 0
  return {
    virtualBytes: Number(header.readBigUInt64BE(24)),
    hasOtherFiles: header.readBigUInt64BE(8) !== 0n || hasDataFile,
  }
}

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
