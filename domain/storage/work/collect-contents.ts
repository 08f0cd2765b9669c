import type { Turn } from '../../ports/workers.ts'
import { ContentFault, type ContentFiles } from '../contents/content-files.ts'
import { contentCollection } from '../contents/contents-store.ts'
import { dropReference } from '../contents/references.ts'
import type { StorageEnvironment } from '../environment.ts'
import { instanceCollection } from '../instances/instances-store.ts'
import { isNamed } from './named-files.ts'

/** The age at which a file without a row is deleted, in milliseconds; no upload lasts longer between file and commit. */
const leftoverMs = 3_600_000

/**
 * Deletes the files of contents without a version, then their rows. A content whose files are still read stays for the
 * next run. A content that joins others leaves the files to them. Repeating the work after a crash is harmless, because a
 * content without a version never gets one again.
 */
export async function collectContents(
  { clock, files, store }: Pick<StorageEnvironment, 'clock' | 'files' | 'store'>,
  { signal, tx }: Turn,
): Promise<void> {
  const failures = new Map<string, number>()
  for await (const { id, value } of store.each(contentCollection, { references: 0 })) {
    if (signal.aborted) return
    const failed = failures.get(value.instance_id) ?? 0
    if (failed === maxFailures) continue
    const paths = value.joins ? [] : value.files.map(({ path }) => path)
    const outcome = await removal(files, value.instance_id, paths)
    if (outcome === 'failed') failures.set(value.instance_id, failed + 1)
    if (outcome !== 'removed') continue
    await tx(async transaction => {
      const stored = await transaction.lock(contentCollection, id)
      if (stored?.value.references !== 0) return
      await transaction.delete(contentCollection, id, stored.version)
      for (const joined of stored.value.joins ?? []) await dropReference(transaction, joined, clock.now())
    })
  }
}

/** The number of failures after which a run leaves the other contents of an instance to the next run. */
const maxFailures = 3

/** Deletes files. A file that is still read, or that the host refuses to delete, stays for a later run. */
async function removal(
  files: ContentFiles,
  instance: string,
  paths: readonly string[],
): Promise<'removed' | 'read' | 'failed'> {
  try {
    return (await files.remove(instance, paths)) ? 'removed' : 'read'
  } catch (error) {
    if (error instanceof ContentFault) return 'failed'
    throw error
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
      if (!(await isNamed(store, id, path))) await removal(files, id, [path])
    }
  }
}

/** Deletes the keys of signed URLs that no URL can need. */
export const dropSigningKeys = ({ clock, keys }: StorageEnvironment): Promise<void> => keys.dropExpired(clock.now())
