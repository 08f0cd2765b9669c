import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { contentCollection } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import type { StoredPart, StoredUpload } from './uploads-store.ts'

/** Leaves the files of parts to the worker that deletes contents without a version. */
export async function dropFiles(
  tx: Transaction,
  clock: StorageEnvironment['clock'],
  { instance_id }: Pick<StoredUpload, 'instance_id'>,
  parts: readonly Pick<StoredPart, 'path' | 'size'>[],
  nowMs: number,
): Promise<void> {
  if (parts.length === 0) return
  const files = parts.map(({ path, size }) => ({ path, size }))
  const size = files.reduce((sum, file) => sum + file.size, 0)
  await tx.insert(contentCollection, {
    id: clock.newId(),
    instance_id,
    size,
    references: 0,
    files,
    update_time: formatMillis(nowMs),
  })
}
