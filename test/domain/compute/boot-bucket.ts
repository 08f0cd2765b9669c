import { expect } from 'vitest'
import { headerBytes } from '../../../domain/compute/images/qcow2.ts'
import type { BucketInput } from '../../../output/storage/types.ts'
import type { TenantVms } from './tenant-vms.ts'

/** A bucket of the workspace of a tenant, with the disks for its machines. */
export interface BootBucket {
  readonly at: { readonly workspace: string; readonly engine: string; readonly bucket: string }
  /** Uploads an object over a presigned URL. */
  upload(object: string, content: Uint8Array<ArrayBuffer>): Promise<void>
  /** Deletes an object, or a version of the object. */
  remove(object: string): Promise<void>
  /** Returns the boot disk of a machine that is made from an object. */
  disk(object: string): { readonly source_object: { readonly bucket_id: string; readonly object: string } }
}

/** Creates a bucket for the disks of machines. */
export async function bootBucket(
  { api, platform, workspace }: Pick<TenantVms, 'api' | 'platform' | 'workspace'>,
  bucket: Partial<BucketInput> = {},
): Promise<BootBucket> {
  const { storage } = api
  const made = await storage.createBucket({ workspace, engine: 'native', body: { name: 'disks', ...bucket } })
  const at = { workspace, engine: 'native', bucket: made.resource_id }
  const send = async (object: string, body: Uint8Array<ArrayBuffer>): Promise<number> => {
    const { headers, url } = await storage.createPresignedUploadUrl({ ...at, body: { object } })
    const init = { method: 'PUT', headers: { host: new URL(url).host, ...headers }, body }
    return (await platform.from('')(url, init)).status
  }
  return {
    at,
    async upload(object, content) {
      // The server takes the lease of the content soon after its start.
      await expect.poll(() => send(object, content), { timeout: 60_000 }).toBe(200)
    },
    async remove(object) {
      await storage.deleteObject({ ...at, object })
    },
    disk: object => ({ source_object: { bucket_id: at.bucket, object } }),
  }
}

/** The members of a qcow2 header that differ from those of a sound, empty disk of 1 GiB. */
export interface Qcow2Fault {
  readonly virtualBytes?: bigint
  readonly backingFile?: bigint
  readonly isEncrypted?: boolean
  readonly hasDataFile?: boolean
  readonly tableEntries?: number
}

/** Returns the header of a qcow2 file with some bytes behind the header. */
export function qcow2File({
  backingFile = 0n,
  hasDataFile = false,
  isEncrypted = false,
  tableEntries = 1,
  virtualBytes = 2n ** 30n,
}: Qcow2Fault = {}): Uint8Array<ArrayBuffer> {
  const file = Buffer.from(new Uint8Array(headerBytes + 512))
  file.write('QFI\u00fb', 0, 'latin1')
  file.writeUInt32BE(3, 4)
  file.writeBigUInt64BE(backingFile, 8)
  file.writeBigUInt64BE(virtualBytes, 24)
  file.writeUInt32BE(isEncrypted ? 1 : 0, 32)
  file.writeUInt32BE(tableEntries, 36)
  file.writeBigUInt64BE(128n, 40)
  file.writeUInt8(hasDataFile ? 4 : 0, 79)
  return new Uint8Array(file)
}
