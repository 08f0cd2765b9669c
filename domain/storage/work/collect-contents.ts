import type { Turn } from '../../ports/workers.ts'
import { contentCollection } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { instanceCollection } from '../instances/instances-store.ts'
import { isNamed } from './named-files.ts'

/** The age at which a file without a row is deleted, in milliseconds; no upload lasts longer between file and commit. */
const leftoverMs = 3_600_000

/**
 * Deletes the files of contents without a version, then their rows. A content whose files are still read stays for the
 * next run. Repeating the work after a crash is harmless, because a content without a version never gets one again.
 */
export async function collectContents(
  { files, store }: Pick<StorageEnvironment, 'files' | 'store'>,
  { signal, tx }: Turn,
): Promise<void> {
  for await (const { id, value } of store.each(contentCollection, { references: 0 })) {
    if (signal.aborted) return
    const paths = value.files.map(({ path }) => path)
    if (!(await files.remove(value.instance_id, paths))) continue
    await tx(async transaction => {
      const stored = await transaction.lock(contentCollection, id)
      if (stored?.value.references === 0) await transaction.delete(contentCollection, id, stored.version)
    })
  }
}

/** Deletes the files that no row names, in the folders of all instances. */
export async function collectAllLeftovers(environment: StorageEnvironment, { signal }: Turn): Promise<void> {
  const instances: string[] = []
  for await (const { id } of environment.store.each(instanceCollection)) instances.push(id)
  await collectLeftovers(instances, environment, signal)
}

/**
 * Deletes files that no row names: of uploads and copies that were cut off, and of servers that ended between the file and
 * the commit. Young files may belong to an upload in progress.
 */
export async function collectLeftovers(
  instances: readonly string[],
  { clock, files, store }: Pick<StorageEnvironment, 'files' | 'store'> & { readonly clock: { now(): number } },
  signal: AbortSignal,
): Promise<void> {
  const before = clock.now() - leftoverMs
  for (const id of instances) {
    for await (const path of files.olderThan(id, before)) {
      if (signal.aborted) return
      if (!(await isNamed(store, id, path))) await files.remove(id, [path])
    }
  }
}

/** Deletes the keys of signed URLs that no URL can need. */
export const dropSigningKeys = ({ clock, keys }: StorageEnvironment): Promise<void> => keys.dropExpired(clock.now())
