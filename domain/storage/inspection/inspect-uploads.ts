import type { Finding, Inspection } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { nativeEngine } from '../by-engine.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { partCollection, uploadCollection, type StoredUpload } from '../uploads/uploads-store.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks that uploads have a bucket and the counts of their parts, and that parts have an upload. */
export async function* inspectUploads({ reader }: Inspection): Findings {
  for await (const { id, value } of reader.each(uploadCollection)) {
    for (const message of await uploadFaults(reader, value))
      yield { resourceType: 'storage.multipartUploads', id, message }
  }
  for await (const { id, value } of reader.each(partCollection)) {
    if (await reader.exists(uploadCollection, { id: value.upload_id })) continue
    const message = `is a part of multipart upload ${value.upload_id}, which does not exist`
    yield { resourceType: 'storage.multipartUploads', id, message }
  }
}

async function uploadFaults(reader: Reader, upload: StoredUpload): Promise<readonly string[]> {
  const { bucket_id, has_parts, id, instance_id, part_count, state, uploaded_bytes } = upload
  const bucket = (await reader.get(bucketCollection, bucket_id))?.value
  const isOpen = state === 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE'
  // A store tells the parts of its uploads itself.
  if (instance_id === '' && bucket && bucket.engine !== nativeEngine) return []
  // An upload that has ended may outlive its bucket by a day.
  if (!bucket) return isOpen ? [`belongs to bucket ${bucket_id}, which does not exist`] : []
  let [count, bytes] = [0, 0]
  for await (const { value } of reader.each(partCollection, { upload_id: id })) {
    count += 1
    bytes += value.size
  }
  // A worker deletes the parts of an upload that has ended, batch by batch.
  const isActive = isOpen && bucket.state === 'STORAGE_BUCKET_STATE_ACTIVE'
  const counts = [
    ['part_count', part_count, count],
    ['uploaded_bytes', uploaded_bytes, bytes],
  ] as const
  return [
    ...(instance_id === bucket.instance_id ? [] : [`has its parts on instance ${instance_id}, unlike its bucket`]),
    ...counts
      .filter(([, given, expected]) => isActive && given !== expected)
      .map(([name, given, expected]) => `has ${name} ${given}; its parts make ${expected}`),
    ...(has_parts === 'NO' && count > 0 ? [`has ${count} parts that no work will delete`] : []),
  ]
}
