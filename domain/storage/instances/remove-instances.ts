import type { Left } from '../../resources/mutation-rules.ts'
import { again, done, type Procedure } from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import type { StorageArea } from '../../../output/storage/area.ts'
import { dropReferencesOf } from '../../resources/references.ts'
import { contentCollection } from '../contents/contents-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { instanceKind } from './instance-kind.ts'
import { instanceCollection } from './instances-store.ts'

/** The number of contents whose rows one transaction deletes. */
const batchSize = 100

/** The time after which work that this server cannot do is tried again, in milliseconds. */
const laterMs = 5_000

/** Deletes the instances of a class that is deleted, and begins the work that deletes their folders. */
export async function removeInstances(
  { operations }: Pick<StorageEnvironment, 'operations'>,
  tx: Transaction,
  classId: string,
): Promise<Left<StorageArea> | void> {
  for await (const { id } of tx.each(instanceCollection, { storage_class_id: classId })) {
    const instance = await tx.lock(instanceCollection, id)
    if (!instance) continue
    await dropReferencesOf(tx, { type: instanceKind.type, id })
    await tx.delete(instanceCollection, id, instance.version)
    await operations.follow(tx, { kind: removal, input: { instance: id }, scope: { type: 'PLATFORM', id: '' } })
  }
}

const removal = 'storage.removeInstance'

/**
 * Returns the work that deletes the folder of a deleted instance. No version has content in it any more; the rows of
 * contents that wait for their deletion go with the folder. Copies in progress may still read content, and end first.
 */
export const instanceRemoval = ({
  folders,
  lease,
}: Pick<StorageEnvironment, 'folders' | 'lease'>): Procedure<{ readonly instance: string }> => ({
  kind: removal,
  deadlineMs: 'none',
  steps: [
    {
      name: 'contents',
      async run({ input, tx }) {
        const left = await tx(reader => deleteContents(reader, input.instance))
        return left === 'none' ? done() : again(left === 'more' ? 0 : laterMs)
      },
    },
    {
      name: 'folder',
      // Only the server with the content has the folder.
      run: async ({ input }) => (lease.isHeld && (await folders.remove(input.instance)) ? done() : again(laterMs)),
    },
  ],
})

/** Deletes a batch of the contents of an instance; returns which contents are left. */
async function deleteContents(tx: Transaction, instance: string): Promise<'more' | 'pinned' | 'none'> {
  let count = 0
  for await (const { id, version } of tx.each(contentCollection, { instance_id: instance, references: 0 })) {
    if (count === batchSize) return 'more'
    await tx.delete(contentCollection, id, version)
    count += 1
  }
  return (await tx.exists(contentCollection, { instance_id: instance })) ? 'pinned' : 'none'
}
