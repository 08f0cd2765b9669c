import { again, done, type Procedure } from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { forgetRow } from '../../resources/references.ts'
import type { StorageEnvironment } from '../environment.ts'
import { takeRun } from '../rules/runs-store.ts'
import { endGauges } from '../statistics/record-statistics.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { purgeBatch } from './purge-content.ts'

/** The kind of the work that deletes a bucket with its content. */
export const contentDeletion = 'storage.deleteBucket'

type Deleting = Pick<StorageEnvironment, 'clock' | 'taxonomy'>

/** Returns the work that deletes the content of a bucket in batches, and then the bucket. The work has no time limit. */
export const deleteContent = (environment: Deleting): Procedure<{ readonly bucket: string }> => ({
  kind: contentDeletion,
  deadlineMs: 'none',
  steps: [
    {
      name: 'content',
      async run({ input: { bucket }, signal, tx }) {
        while (!(await tx(each => purgeBatch(environment, each, bucket)))) if (signal.aborted) return again(0)
        return done(each => deleteRow(environment, each, bucket))
      },
    },
  ],
})

/** Deletes the row of an empty bucket, and returns its part of the quotas. */
async function deleteRow({ clock, taxonomy }: Deleting, tx: Transaction, id: string): Promise<void> {
  const stored = await tx.lock(bucketCollection, id)
  if (!stored) return
  await forgetRow(tx, { type: bucketKind.type, id })
  await endGauges(tx, stored.value, clock.now())
  await takeRun(tx, id)
  await tx.delete(bucketCollection, id, stored.version)
  await takeDifference(tx, taxonomy, stored.value.workspace_id, bucketKind.takes?.(stored.value) ?? [], [])
}
