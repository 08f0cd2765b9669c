import type { ParsedVmBootDisk, VmBootDiskInput } from '../../../output/compute/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Authorizer } from '../../ports/access.ts'
import type { Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { ComputeEnvironment } from '../environment.ts'
import { lockArtifact, readArtifact, requireRoomFor, type ArtifactSource } from '../images/artifact-source.ts'
import { bootSources } from '../images/boot-sources-store.ts'
import { requireFits, requireImage } from '../images/catalogue.ts'
import type { Image } from '../images/image.ts'
import { readSource, requirePresent, requireRoom, type ObjectSource } from '../images/object-source.ts'
import type { StoredVm } from '../vms/vms-store.ts'

/**
 * Throws IAM_PERMISSION_DENIED unless the caller has the permissions of other areas that a creation needs at its
 * workspace (compute.md 3).
 */
export async function requireUse(
  access: Pick<Authorizer, 'require'>,
  context: CallContext,
  workspace: string,
  { boot_disk, hasInterfaces }: { readonly boot_disk: VmBootDiskInput; readonly hasInterfaces: boolean },
): Promise<void> {
  const scope = workspaceScope(workspace)
  if (hasInterfaces) await access.require(context, 'network.subnets.use', scope)
  if (boot_disk.source_object) await access.require(context, 'storage.objects.download', scope)
  if (boot_disk.source_artifact) await access.require(context, 'registry.artifacts.pull', scope)
}

/**
 * The source of a new boot disk: an image of the catalogue, an object as `readSource` returns it, or an artifact as
 * `readArtifact` does.
 */
export interface BootSource {
  readonly boot_disk: VmBootDiskInput
  readonly image: Image | undefined
  readonly object: ObjectSource | ApiError | undefined
  readonly artifact: ArtifactSource | ApiError | undefined
}

/** Finds the source of a new boot disk, before the transaction of the creation. */
export async function bootSource(
  { functions: { registry, storage }, images, store }: Pick<ComputeEnvironment, 'functions' | 'images' | 'store'>,
  context: CallContext,
  workspace: string,
  boot_disk: ParsedVmBootDisk,
): Promise<BootSource> {
  const { image, source_artifact, source_object } = boot_disk
  const object = source_object && (await readSource(storage, context, workspace, source_object))
  const artifact = source_artifact && (await readArtifact({ registry, store }, workspace, source_artifact))
  return { boot_disk, image: images.get(image), object, artifact }
}

/** Returns the smallest size of a boot disk in GiB; undefined for a source that cannot be used. */
export function minGibOf({ artifact, image, object }: BootSource): number | undefined {
  if (object instanceof ApiError || artifact instanceof ApiError) return undefined
  return object?.minGib ?? artifact?.minGib ?? image?.min_disk_gib
}

/**
 * Checks the source of a new boot disk, and locks its artifact for the machine. Throws VM_IMAGE_NOT_FOUND,
 * VM_IMAGE_REQUIREMENT_UNMET, and ENGINE_UNAVAILABLE if the content cannot be read at the moment.
 */
export async function requireSource(
  { functions: { registry, storage }, images }: Pick<ComputeEnvironment, 'functions' | 'images'>,
  tx: Transaction,
  { artifact, boot_disk, object }: BootSource,
  { boot_disk: { size_gib = 0 }, id, memory_mib, workspace_id }: StoredVm,
): Promise<void> {
  const { image = '', source_artifact, source_object } = boot_disk
  if (source_artifact) {
    if (!artifact || artifact instanceof ApiError)
      throw artifact ?? new Error('the artifact of a boot disk was not read')
    await lockArtifact(registry, tx, source_artifact, artifact, { id, workspace_id })
    return requireRoomFor(source_artifact, artifact, size_gib)
  }
  if (!source_object) return requireFits(requireImage(images, image), { bootGib: size_gib, memoryMib: memory_mib })
  if (!object || object instanceof ApiError) throw object ?? new Error('the object of a boot disk was not read')
  await requirePresent(storage, tx, workspace_id, source_object, object.versionId)
  requireRoom(source_object, object, size_gib)
}

/** Records the content from which the boot disk of a new machine is made. */
export async function recordSource(tx: Transaction, vm_id: string, { artifact, object }: BootSource): Promise<void> {
  if (object && !(object instanceof ApiError)) await tx.insert(bootSources, { vm_id, version_id: object.versionId })
  if (artifact && !(artifact instanceof ApiError)) await tx.insert(bootSources, { vm_id, version_id: artifact.layer })
}
