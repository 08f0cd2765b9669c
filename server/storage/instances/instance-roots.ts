import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type {
  DiskSpace,
  FolderCheck,
  FolderFault,
  InstanceFolders,
} from '../../../domain/storage/instances/instance-folders.ts'
import type { Log } from '../../log.ts'
import { systemCode } from '../../store/sqlite/store-file.ts'

/** A folder of this host for the instances of a location. */
export interface InstanceRoot {
  readonly path: string
  readonly location: string
}

/** The permissions of the files and folders: for their owner only. */
const fileMode = 0o600
const folderMode = 0o700

/** The file that shows that a folder belongs to an instance; the file holds the id of the instance. */
const marker = 'instance'

/** Returns the folder of an instance below the first root that has the folder; undefined if no root has the folder. */
export const folderIn = (roots: readonly Pick<InstanceRoot, 'path'>[], instance: string): string | undefined =>
  roots.map(({ path }) => join(path, instance)).find(each => existsSync(join(each, marker)))

/** The folders for content below the folder of an instance. */
const contentFolders = ['objects', 'parts', 'tmp']

/** The bytes of the probe file. */
const probe = Buffer.from('ninefold\n')

/** The folders of the instances below the roots of this host: `<root>/<instance id>`. */
export class InstanceRoots implements InstanceFolders {
  readonly #roots: readonly InstanceRoot[]
  readonly #log: Pick<Log, 'warn'>
  readonly #found = new Map<string, string>()

  constructor(roots: readonly InstanceRoot[], log: Pick<Log, 'warn'>) {
    this.#roots = roots
    this.#log = log
  }

  /** Returns the folder of an instance; undefined if no root of this host has the folder. */
  folderOf(instance: string): string | undefined {
    const known = this.#found.get(instance)
    if (known !== undefined) return known
    const folder = folderIn(this.#roots, instance)
    if (folder !== undefined) this.#found.set(instance, folder)
    return folder
  }

  async provision(instance: string, location: string): Promise<FolderCheck> {
    return this.#attempt(instance, async () => {
      const folder = this.#madeIn(instance, location) ?? (await this.#newFolder(instance, location))
      if (folder === undefined) return faulty('NoRoot', `no folder for content is configured in location ${location}`)
      this.#found.set(instance, folder)
      return checkFolder(folder)
    })
  }

  async check(instance: string): Promise<FolderCheck> {
    const folder = this.folderOf(instance)
    if (folder === undefined || !existsSync(join(folder, marker))) {
      this.#found.delete(instance)
      return faulty('FolderMissing', 'the folder of the instance is not on this server')
    }
    return this.#attempt(instance, () => checkFolder(folder))
  }

  async remove(instance: string): Promise<boolean> {
    try {
      for (const { path } of this.#roots) await rm(join(path, instance), { force: true, recursive: true })
      this.#found.delete(instance)
      return true
    } catch (err) {
      this.#log.warn({ err, instance }, 'the folder of a storage class instance cannot be deleted')
      return false
    }
  }

  /** Returns the folder that an earlier call has made below a root of a location. */
  #madeIn(instance: string, location: string): string | undefined {
    const roots = this.#roots.filter(root => root.location === location)
    return folderIn(roots, instance)
  }

  /** Makes the folder of an instance; returns undefined if the location has no root. */
  async #newFolder(instance: string, location: string): Promise<string | undefined> {
    const root = await this.#emptiestRoot(location)
    if (root === undefined) return undefined
    const folder = join(root, instance)
    await makeFolder(folder)
    for (const name of contentFolders) await makeFolder(join(folder, name))
    await syncFolder(folder)
    await writeDurably(join(folder, 'tmp', `${marker}-${randomUUID()}`), join(folder, marker), `${instance}\n`)
    await syncFolder(root)
    return folder
  }

  /** Returns the root of a location with the most free bytes. Throws the fault of the host if no root can be used. */
  async #emptiestRoot(location: string): Promise<string | undefined> {
    let best: { readonly path: string; readonly available: number } | undefined
    let fault: unknown
    for (const { path } of this.#roots.filter(root => root.location === location)) {
      try {
        // The parent must exist, so that content does not fill the disk below the place of a missing mount.
        await makeFolder(path)
        const available = (await spaceOf(path)).availableBytes
        if (best === undefined || available > best.available) best = { path, available }
      } catch (error) {
        fault = error
      }
    }
    if (best === undefined && fault !== undefined) throw fault
    return best?.path
  }

  async #attempt(instance: string, work: () => Promise<FolderCheck>): Promise<FolderCheck> {
    try {
      return await work()
    } catch (err) {
      this.#log.warn({ err, instance }, 'the folder of a storage class instance cannot be used')
      const code = systemCode(err)
      if (code === 'ENOSPC' || code === 'EDQUOT') return faulty('DiskFull', 'the disk has no space left')
      return faulty('ProbeFailed', `the disk refuses the probe${code === '' ? '' : `: ${code}`}`)
    }
  }
}

const faulty = (reason: FolderFault, message: string): FolderCheck => ({ kind: 'faulty', reason, message })

/** Writes, synchronises, renames and deletes a file in the folder of an instance, and reads the free space. */
async function checkFolder(folder: string): Promise<FolderCheck> {
  const from = join(folder, 'tmp', `probe-${randomUUID()}`)
  const to = `${from}-renamed`
  try {
    await writeDurably(from, to, probe)
  } finally {
    for (const file of [from, to]) await rm(file, { force: true }).catch(() => {})
  }
  return { kind: 'good', space: await spaceOf(folder) }
}

async function spaceOf(path: string): Promise<DiskSpace> {
  const { bavail, bfree, blocks, bsize } = await statfs(path)
  return {
    capacityBytes: blocks * bsize,
    usedBytes: (blocks - bfree) * bsize,
    availableBytes: bavail * bsize,
  }
}

/** Writes a file under another name, synchronises it, and renames it. */
async function writeDurably(from: string, to: string, content: string | Uint8Array): Promise<void> {
  const file = await open(from, 'wx', fileMode)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(from, to)
  await syncFolder(dirname(to))
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: folderMode }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error
  })
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and stores the names with the files.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
