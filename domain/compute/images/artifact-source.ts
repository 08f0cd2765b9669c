import { vmImageNotFound, vmImageRequirementUnmet } from '../../../output/compute/errors.ts'
import type { VmSourceArtifact } from '../../../output/compute/types.ts'
import { absentAt, ApiError, faultAt } from '../../../runtime/errors.ts'
import type { ArtifactHolder, Registry } from '../../ports/registry.ts'
import type { Store, Transaction } from '../../ports/store.ts'
import { diskSizeOf } from './disk-size.ts'
import { headerBytes } from './qcow2.ts'

/** The facts of an artifact from which a boot disk is made. */
export interface ArtifactSource {
  readonly digest: string
  /** The digest of its only layer, which is the disk. */
  readonly layer: string
  /** The size of the disk in GiB, rounded up. */
  readonly minGib: number
}

/**
 * Resolves an artifact, and reads the header of its only layer, before the transaction of a creation (compute.md 1).
 * Returns the error of an artifact that cannot be used: the transaction throws it at its place in the order of checks.
 */
export async function readArtifact(
  { registry, store }: { readonly registry: Registry | undefined; readonly store: Store },
  workspace: string,
  source: VmSourceArtifact,
): Promise<ArtifactSource | ApiError> {
  const { reference, repository_id: repository } = source
  const found = await registry?.resolveArtifact(store, { workspace, repository, reference })
  if (!registry || !found) return absentArtifact(source)
  const [layer, ...others] = found.layers
  if (!layer || others.length > 0) return unmet(source, `has ${found.layers.length} layers; it needs one, a qcow2 file`)
  try {
    const opened = await registry.readBlob(repository, layer.digest, { first: 0, last: headerBytes - 1 })
    if (!opened) return absentArtifact(source)
    const size = diskSizeOf(await new Response(opened.body).bytes(), layer.size, 'qcow2')
    if (typeof size === 'string') return unmet(source, size)
    return { digest: found.digest, layer: layer.digest, minGib: size }
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** Locks the artifact of a new machine. Throws VM_IMAGE_NOT_FOUND if it was deleted since its header was read. */
export async function lockArtifact(
  registry: Registry | undefined,
  tx: Transaction,
  source: VmSourceArtifact,
  { digest }: ArtifactSource,
  holder: ArtifactHolder,
): Promise<void> {
  if (await registry?.lockDigest(tx, source.repository_id, digest, holder)) return
  throw absentArtifact(source)
}

/** Throws VM_IMAGE_REQUIREMENT_UNMET if a boot disk is smaller than its artifact. */
export function requireRoomFor({ reference }: VmSourceArtifact, { minGib }: ArtifactSource, bootGib: number): void {
  if (bootGib >= minGib) return
  const message = `artifact ${reference.slice(0, 140)} needs a boot disk of ${minGib} GiB; ${bootGib} are given`
  throw faultAt(vmImageRequirementUnmet, 'boot_disk.size_gib', message)
}

const unmet = ({ reference }: VmSourceArtifact, fault: string): ApiError =>
  faultAt(vmImageRequirementUnmet, 'boot_disk.source_artifact', `artifact ${reference.slice(0, 140)} ${fault}`)

const absentArtifact = ({ reference, repository_id }: VmSourceArtifact): ApiError =>
  absentAt(vmImageNotFound, 'boot_disk', `repository ${repository_id} has no artifact of this reference`, {
    type: 'registry.artifacts',
    name: reference.slice(0, 80),
  })
