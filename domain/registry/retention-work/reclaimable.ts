import { hasId, type Reader } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { rowOf } from '../artifacts/artifacts-store.ts'
import { referenceCollection } from '../artifacts/references-store.ts'
import { linkCollection } from '../blobs/blobs-store.ts'

/** The longest list of ids in one read. */
const batch = 100

/**
 * Returns the bytes of the blobs of a repository that no manifest would name without these artifacts. Other work of the
 * process runs between the reads. Throws the reason of an aborted signal.
 */
export async function reclaimableBytes(
  reader: Reader,
  repository: string,
  digests: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const names = new Map<string, number>()
  for (const digest of digests) {
    for await (const { value } of reader.each(referenceCollection, { repository_id: repository, digest }))
      if (value.kind === 'BLOB') names.set(value.target, (names.get(value.target) ?? 0) + 1)
    await nextTurn()
    signal.throwIfAborted()
  }
  let bytes = 0
  let ids: string[] = []
  for (const [target, count] of names) {
    if ((await reader.count(referenceCollection, { repository_id: repository, kind: 'BLOB', target })) === count)
      ids.push(rowOf(repository, target))
    if (ids.length === batch) {
      bytes += await sizeOf(reader, ids)
      ids = []
    }
    await nextTurn()
    signal.throwIfAborted()
  }
  return bytes + (await sizeOf(reader, ids))
}

async function sizeOf(reader: Reader, ids: readonly string[]): Promise<number> {
  let bytes = 0
  for await (const { value } of reader.each(linkCollection, hasId(linkCollection, ids))) bytes += value.size
  return bytes
}
