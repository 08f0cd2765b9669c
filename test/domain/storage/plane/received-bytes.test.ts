import { expect, it, onTestFinished, vi } from 'vitest'
import { Traffic } from '../../../../domain/storage/statistics/traffic.ts'
import { tenantStorage } from '../tenant-storage.ts'
import { afterTests } from '../../../undo.ts'

it('the bytes of an upload count, with and without a declared length', async () => {
  const { admin, at, send } = await tenantStorage({}, { later: afterTests })
  const count = vi.spyOn(Traffic.prototype, 'count')
  onTestFinished(() => count.mockRestore())
  const url = await admin.api.storage.createPresignedUploadUrl({ ...at, body: { object: 'counted' } })
  const chunks = new Blob(['hello']).stream()
  for (const init of [
    { body: 'hello', headers: { 'content-length': '5' } },
    { body: chunks, duplex: 'half' },
  ]) {
    expect((await send(url, init)).status).toBe(200)
    expect(count).toHaveBeenLastCalledWith(expect.anything(), { bytes_ingress: 5 })
  }
})
