import { expect, it } from 'vitest'
import { fromStatus } from '../../../../runtime/status.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { patientApi, sendPatiently, signed } from '../patient-calls.ts'
import { tenantStorage } from '../tenant-storage.ts'
import { afterTests } from '../../../undo.ts'

const writers = [1, 2, 3, 4]
const overwrites = 10

it('an object that is overwritten all the time can be read and copied at any time', { timeout: 180_000 }, async () => {
  const tenant = await tenantStorage({}, { later: afterTests })
  const { at, platform, workspace } = tenant
  const { storage } = await patientApi(tenant)
  const body = { object: 'hot' }
  const upload = await signed(() => storage.createPresignedUploadUrl({ ...at, body }))
  const download = await signed(() => storage.createPresignedDownloadUrl({ ...at, body }))
  const { resource_id: other } = await storage.createBucket({ workspace, engine: at.engine, body: { name: 'copies' } })
  const copy = { source_bucket_id: at.bucket, source_object: 'hot', destination_object: 'copy' }
  await sendPatiently(tenant, upload, '0'.repeat(1000))

  const writing = new Set(writers)
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; i < overwrites; i += 1) await sendPatiently(tenant, upload, String(writer).repeat(1000))
    writing.delete(writer)
  }
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    async content() {
      const answer = await tenant.send(download)
      if (!answer.ok) throw fromStatus(answer, await answer.json())
      expect(await answer.text()).toMatch(/^(\d)\1{999}$/)
    },
    metadata: () => storage.getObjectMetadata({ ...at, object: 'hot' }),
    copy: () => storage.copyObject({ ...at, bucket: other, body: copy }),
  }
  const failures: string[] = []
  const read = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    while (writing.size > 0) await call().catch((error: unknown) => failures.push(`${name}: ${String(error)}`))
  }
  await Promise.all([...writers.map(write), ...Object.entries(reads).flatMap(each => [read(...each), read(...each)])])
  expect(failures).toEqual([])
  expect(await doctorFindings(platform.config)).toEqual([])
})
