import { vmImageNotFound, vmImageRequirementUnmet } from '../../../output/compute/errors.ts'
import type { VmSourceObject } from '../../../output/compute/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { absentAt, ApiError, faultAt } from '../../../runtime/errors.ts'
import type { ObjectFacts, Storage } from '../../ports/storage.ts'
import type { Transaction } from '../../ports/store.ts'
import { diskSizeOf } from './disk-size.ts'
import { headerBytes } from './qcow2.ts'

/** The facts of an object from which a boot disk is made. */
export interface ObjectSource {
  readonly versionId: string
  /** The size of the disk that the object stands for, in GiB, rounded up. */
  readonly minGib: number
}

const field = 'boot_disk.source_object'

/**
 * Reads the header of the current version of an object, before the transaction of a creation (compute.md 1). Returns the
 * error of an object that cannot be used: the transaction throws the error at its place in the order of checks. The
 * caller needs storage.objects.download at the workspace.
 */
export async function readSource(
  storage: Storage | undefined,
  context: CallContext,
  workspace: string,
  source: VmSourceObject,
): Promise<ObjectSource | ApiError> {
  if (!storage) return absentObject(source)
  const place = { workspace, bucket: source.bucket_id, object: source.object }
  try {
    const { body, ...facts } = await storage.readObject(context, place, { first: 0, last: headerBytes - 1 })
    return sourceOf(source.object, facts, await new Response(body).bytes())
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return isAbsence(error) ? absentObject(source) : error
  }
}

/** Throws VM_IMAGE_NOT_FOUND if the version of a source was deleted since its header was read. */
export async function requirePresent(
  storage: Storage | undefined,
  tx: Transaction,
  workspace: string,
  source: VmSourceObject,
  versionId: string,
): Promise<void> {
  const place = { workspace, bucket: source.bucket_id, object: source.object, versionId }
  try {
    await storage?.statObject(undefined, place, tx)
  } catch (error) {
    throw error instanceof ApiError && isAbsence(error) ? absentObject(source) : error
  }
}

const isAbsence = ({ reason, rpc }: ApiError): boolean => rpc === 'NOT_FOUND' || reason === 'OBJECT_NAME_INVALID'

/** Returns VM_IMAGE_NOT_FOUND. */
const absentObject = ({ bucket_id, object }: VmSourceObject): ApiError =>
  absentAt(vmImageNotFound, 'boot_disk', `bucket ${bucket_id} has no object of this name`, {
    type: 'storage.objects',
    name: object.slice(0, 80),
  })

/** Returns the facts of an object with these first bytes. Throws VM_IMAGE_REQUIREMENT_UNMET. */
function sourceOf(object: string, { size, versionId }: ObjectFacts, start: Uint8Array): ObjectSource {
  const minGib = diskSizeOf(start, size)
  if (typeof minGib === 'string') throw unmet(object, minGib)
  return { versionId, minGib }
}

const unmet = (object: string, fault: string) =>
  faultAt(vmImageRequirementUnmet, field, `object ${object.slice(0, 80)} ${fault}`)

/** Throws VM_IMAGE_REQUIREMENT_UNMET if a boot disk is smaller than its object. */
export function requireRoom({ object }: VmSourceObject, { minGib }: ObjectSource, bootGib: number): void {
  if (bootGib >= minGib) return
  const message = `object ${object.slice(0, 80)} needs a boot disk of ${minGib} GiB; ${bootGib} are given`
  throw faultAt(vmImageRequirementUnmet, 'boot_disk.size_gib', message)
}
