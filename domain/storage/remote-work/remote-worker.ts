import type { Turn, Worker } from '../../ports/workers.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { applySettings } from '../remote-buckets/apply-settings.ts'
import { dropBucket } from '../remote-buckets/drop-bucket.ts'
import { remoteCollection } from '../remote-buckets/remote-rows.ts'
import { changeCollection } from '../remote-objects/changes-store.ts'
import { remoteUploadCollection } from '../remote-buckets/remote-upload-rows.ts'
import type { Converging } from './converging.ts'
import { leftCalls } from './left-calls.ts'
import { recordChange } from './record-change.ts'
import { tidyUpload } from './tidy-upload.ts'

/** The time between two runs, in milliseconds. */
const everyMs = 10_000

/**
 * Returns the worker that brings rows and S3 stores together after a crash, and after a time in which a store did not
 * answer: it deletes buckets whose creation was given up, writes settings, ends uploads whose time is over, and records
 * changes of objects and ends of uploads whose call has died. A failure does not prevent the rest.
 */
export const remoteWorker = (environment: Converging): Worker => ({
  name: 'storage.s3',
  everyMs,
  run: turn => converge(environment, turn),
})

/** Does the work once. */
export async function converge(environment: Converging, turn: Turn): Promise<void> {
  const { store } = environment
  const calls = leftCalls(environment)
  const attempt = async (subject: string, work: () => Promise<void>): Promise<void> => {
    if (turn.signal.aborted) return
    try {
      await work()
    } catch (error) {
      if (!turn.signal.aborted) environment.failed(error, subject)
    }
  }
  for await (const { id, value } of store.each(remoteCollection, { state: ['MAKING', 'DROPPING'] }))
    if (value.state === 'DROPPING' || (await calls.isLeft(value.owner, value.create_time)))
      await attempt(`${bucketKind.type} ${id}`, () => dropBucket(environment, id))
  for await (const { id } of store.each(remoteCollection, { is_due: 'YES' }))
    await attempt(`${bucketKind.type} ${id}`, () => applySettings(environment, id))
  for await (const { value } of store.each(changeCollection))
    if (await calls.isLeft(value.owner, value.create_time))
      await attempt(`storage.objects ${value.bucket_id}`, () => recordChange(environment, turn, value, calls))
  for await (const { id, value } of store.each(remoteUploadCollection))
    await attempt(`storage.multipartUploads ${id}`, () => tidyUpload(environment, turn, value, calls))
}
