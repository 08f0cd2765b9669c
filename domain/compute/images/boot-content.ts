import { ApiError } from '../../../runtime/errors.ts'
import type { OpenedBlob, Registry } from '../../ports/registry.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Reader } from '../../ports/store.ts'
import { ContentLost } from '../../resources/content-lost.ts'
import type { BootContent, BootBytes } from '../drivers/driver.ts'
import type { StoredVm } from '../vms/vms-store.ts'
import { bootSources } from './boot-sources-store.ts'

/** The content of a boot disk cannot be read. `message` is for the owner of the machine and names nothing of the host. */
export class BootContentFault extends Error {
  override readonly name = 'BootContentFault'
  /** Whether a repeated attempt fails as well. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean, cause: unknown) {
    super(message, { cause })
    this.isFinal = isFinal
  }
}

/** The areas whose contents boot disks are made of. */
interface ContentAreas {
  readonly registry: Registry | undefined
  readonly storage: Storage | undefined
}

/**
 * Returns the content of a boot disk that is made from an object or an artifact; undefined for another disk. The content
 * was chosen by the creation, which also checked the permission of its caller.
 */
export async function bootContentOf(
  reader: Reader,
  { registry, storage }: ContentAreas,
  { boot_disk, id, workspace_id: workspace }: StoredVm,
): Promise<BootContent | undefined> {
  const { source_artifact, source_object } = boot_disk
  const content = (source_artifact ?? source_object) ? (await reader.get(bootSources, id))?.value.version_id : undefined
  if (content === undefined) return undefined
  if (source_artifact && registry)
    return { read: () => bytesOf(() => openLayer(registry, source_artifact.repository_id, content)) }
  if (!source_object || !storage) return undefined
  const place = { workspace, bucket: source_object.bucket_id, object: source_object.object, versionId: content }
  return { read: () => bytesOf(() => storage.readObject(undefined, place)) }
}

/** Opens a layer of an artifact. */
async function openLayer(registry: Registry, repository: string, layer: string): Promise<OpenedBlob> {
  const opened = await registry.readBlob(repository, layer)
  if (opened) return opened
  throw new BootContentFault('the artifact of the boot disk was deleted; create another machine', true, undefined)
}

function faultOf(error: ApiError): BootContentFault {
  const isPassing = error.rpc === 'UNAVAILABLE' && !(error instanceof ContentLost)
  if (isPassing) return new BootContentFault(error.message, false, error)
  if (error.rpc !== 'NOT_FOUND') return new BootContentFault(error.message, true, error)
  const message = 'the object of the boot disk was deleted before its bytes were copied; create another machine'
  return new BootContentFault(message, true, error)
}

/** Opens and reads a content. Throws `BootContentFault`. */
async function* bytesOf(open: () => Promise<Pick<OpenedBlob, 'body'>>): BootBytes {
  const { body } = await open().catch((error: unknown) => {
    throw error instanceof ApiError ? faultOf(error) : error
  })
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new BootContentFault('the content of the boot disk could not be read to its end', true, error)
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
