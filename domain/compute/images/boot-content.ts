import { ApiError } from '../../../runtime/errors.ts'
import type { ObjectPlace, Storage } from '../../ports/storage.ts'
import type { Reader } from '../../ports/store.ts'
import { ContentLost } from '../../resources/content-lost.ts'
import type { BootContent, BootBytes } from '../drivers/driver.ts'
import type { StoredVm } from '../vms/vms-store.ts'
import { bootSources } from './boot-sources-store.ts'

/** The object of a boot disk cannot be read. `message` is for the owner of the machine and names nothing of the host. */
export class BootContentFault extends Error {
  override readonly name = 'BootContentFault'
  /** Whether a repeated attempt fails as well. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean, cause: unknown) {
    super(message, { cause })
    this.isFinal = isFinal
  }
}

/**
 * Returns the content of a boot disk that is made from an object; undefined for another disk. The version was chosen by
 * the creation, which also checked the permission of its caller.
 */
export async function bootContentOf(
  reader: Reader,
  storage: Storage | undefined,
  { boot_disk: { source_object: source }, id, workspace_id: workspace }: StoredVm,
): Promise<BootContent | undefined> {
  if (!storage || !source) return undefined
  const versionId = (await reader.get(bootSources, id))?.value.version_id
  if (versionId === undefined) return undefined
  const place = { workspace, bucket: source.bucket_id, object: source.object, versionId }
  return { read: () => bytesOf(storage, place) }
}

function faultOf(error: ApiError): BootContentFault {
  const isPassing = error.rpc === 'UNAVAILABLE' && !(error instanceof ContentLost)
  if (isPassing) return new BootContentFault(error.message, false, error)
  if (error.rpc !== 'NOT_FOUND') return new BootContentFault(error.message, true, error)
  const message = 'the object of the boot disk was deleted before its bytes were copied; create another machine'
  return new BootContentFault(message, true, error)
}

/** Opens and reads an object. Throws `BootContentFault`. */
async function* bytesOf(storage: Storage, place: ObjectPlace): BootBytes {
  const { body } = await storage.readObject(undefined, place).catch((error: unknown) => {
    throw error instanceof ApiError ? faultOf(error) : error
  })
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new BootContentFault('the object of the boot disk could not be read to its end', true, error)
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
