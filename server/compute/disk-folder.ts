import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskFiles } from '../../domain/compute/drivers/simulated/disk-files.ts'
import type { BootBytes, Disk } from '../../domain/compute/drivers/driver.ts'
import type { Log } from '../log.ts'
import { systemCode } from '../store/sqlite/store-file.ts'

/** Returns the folder with the disks of simulated machines in a data folder; each machine has a folder of its own. */
export const diskFolderOf = (dataDir: string): string => join(dataDir, 'simulated-disks')

/** The name of the file of a disk. The boot disk has no name, so no data disk has the name of its file. */
export const fileNameOf = (name: string): string => (name === '' ? 'boot' : `data-${name}`)

/** The largest size of a file in GiB; the files of ext4, a common file system, end at 16 TiB less one block. */
const maxFileGib = 16_383

/** Returns the size in bytes of the file of a disk. A larger disk has a file of 16,383 GiB. */
export const fileBytesOf = ({ size_gib }: Pick<Disk, 'size_gib'>): number => Math.min(size_gib, maxFileGib) * 2 ** 30

/** The permissions of the files and folders: for their owner only. */
const fileMode = 0o600
const folderMode = 0o700

/** Refuses links and devices that stand at the place of a file. */
const openFlags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opens an existing file for writing from its start. */
const fillFlags = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * The files of the disks of simulated machines in a data folder. The calls block the thread, as those of the store in
 * the same folder do; a file is sparse, so its size costs no time.
 */
export class DiskFolder implements DiskFiles {
  readonly #folder: string
  readonly #log: Pick<Log, 'warn'>

  constructor(dataDir: string, log: Pick<Log, 'warn'>) {
    this.#folder = diskFolderOf(dataDir)
    this.#log = log
  }

  set(vm: string, disk: Disk): boolean {
    const folder = join(this.#folder, vm)
    const name = fileNameOf(disk.name)
    if (disk.size_gib === 0) return this.removeEntry(vm, name)
    return this.#attempt(vm, () => {
      mkdirSync(folder, { recursive: true, mode: folderMode })
      setSize(join(folder, name), fileBytesOf(disk))
    })
  }

  async fill(vm: string, disk: Disk, chunks: BootBytes, signal: AbortSignal): Promise<boolean> {
    const limit = fileBytesOf(disk)
    try {
      const file = await open(join(this.#folder, vm, fileNameOf(disk.name)), fillFlags)
      try {
        let position = 0
        for await (const chunk of chunks) {
          signal.throwIfAborted()
          const rest = chunk.subarray(0, limit - position)
          await file.writeFile(rest)
          position += rest.length
          if (position === limit) break
        }
        await file.sync()
      } finally {
        await file.close()
      }
      return true
    } catch (err) {
      if (systemCode(err) === '') throw err
      this.#log.warn({ err, vm }, 'the content of a simulated disk cannot be written')
      return false
    }
  }

  remove(vm: string): boolean {
    return this.#attempt(vm, () => rmSync(join(this.#folder, vm), { force: true, recursive: true }))
  }

  /** Deletes an entry in the folder of a machine; returns false if the host refuses. */
  removeEntry(vm: string, name: string): boolean {
    return this.#attempt(vm, () => rmSync(join(this.#folder, vm, name), { force: true, recursive: true }))
  }

  #attempt(vm: string, change: () => void): boolean {
    try {
      change()
      return true
    } catch (err) {
      this.#log.warn({ err, vm }, 'the files for the disks of a simulated machine cannot be changed')
      return false
    }
  }
}

/** Gives a file a size, and makes the file readable for its owner only. Throws for anything but a regular file. */
function setSize(file: string, bytes: number): void {
  const descriptor = openSync(file, openFlags, fileMode)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error(`${file} is no regular file`)
    if (stats.size !== bytes) ftruncateSync(descriptor, bytes)
    if ((stats.mode & 0o777) !== fileMode) fchmodSync(descriptor, fileMode)
  } finally {
    closeSync(descriptor)
  }
}

/** An entry in the folder of a machine. */
export interface DiskEntry {
  readonly name: string
  /** The size in bytes; undefined for an entry that is no regular file. */
  readonly bytes: number | undefined
  /** Whether only the owner of the file can read or write the file. */
  readonly isPrivate: boolean
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Returns the ids of the machines that have a folder, in ascending order. Entries with other names are ignored. */
export const machinesIn = (dataDir: string): readonly string[] =>
  namesIn(diskFolderOf(dataDir)).filter(name => uuid.test(name))

/** Returns the entries in the folder of a machine in the order of their names; empty if the machine has no folder. */
export function diskEntries(dataDir: string, vm: string): readonly DiskEntry[] {
  const folder = join(diskFolderOf(dataDir), vm)
  return namesIn(folder).flatMap(name => {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (!stats) return []
    return [{ name, bytes: stats.isFile() ? stats.size : undefined, isPrivate: (stats.mode & 0o077) === 0 }]
  })
}

/** Returns the names in a folder in ascending order; empty if there is no folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return []
    throw error
  }
}
