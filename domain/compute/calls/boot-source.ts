import { vmImageNotFound } from '../../../output/compute/errors.ts'
import type { VmBootDiskInput } from '../../../output/compute/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { absentAt } from '../../../runtime/errors.ts'
import type { Authorizer } from '../../ports/access.ts'
import { workspaceScope } from '../../resources/kind.ts'

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
 * Throws VM_IMAGE_NOT_FOUND for a boot disk from an object or an artifact: no area of the platform has objects or
 * artifacts.
 */
export function requireNoForeignSource({ source_artifact, source_object }: VmBootDiskInput): void {
  if (source_object)
    throw absent(
      'storage.objects',
      source_object.object,
      `bucket ${source_object.bucket_id} has no object of this name`,
    )
  if (source_artifact)
    throw absent(
      'registry.artifacts',
      source_artifact.reference,
      `repository ${source_artifact.repository_id} has no artifact of this reference`,
    )
}

const absent = (type: string, name: string, message: string) =>
  absentAt(vmImageNotFound, 'boot_disk', message, { type, name: name.slice(0, 80) })
