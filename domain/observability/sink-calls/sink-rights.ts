import type { LogDestinationUpdate, SinkSource } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { permissionDenied } from '../../resources/permission-denied.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { bucketOf, headersSecretOf } from '../sinks/destination.ts'

/** The members of a sink from which the rights follow that its callers need. */
export interface SinkUse {
  readonly sources?: readonly SinkSource[]
  readonly destination?: LogDestinationUpdate
}

/**
 * The permissions at the workspace that a caller needs beside the permission of the call (observability.md 3), each with
 * the condition under which it is needed: a sink reads for its caller, and writes and sends in the caller's place.
 */
const rights: readonly (readonly [permission: string, isNeeded: (use: SinkUse) => boolean])[] = [
  ['observability.logs.query', ({ sources }) => sources?.includes('OBSERVABILITY_SINK_SOURCE_LOGS') === true],
  [
    'observability.activities.list',
    ({ sources }) => sources?.includes('OBSERVABILITY_SINK_SOURCE_ACTIVITIES') === true,
  ],
  ['storage.objects.create', ({ destination = {} }) => bucketOf(destination) !== undefined],
  ['storage.objects.delete', ({ destination = {} }) => bucketOf(destination) !== undefined],
  ['vault.secretVersions.access', ({ destination = {} }) => headersSecretOf(destination) !== undefined],
]

/** Returns a function that throws IAM_PERMISSION_DENIED unless the caller may use what a sink uses. */
export async function sinkRights(
  { access }: Pick<ObservabilityEnvironment, 'access'>,
  context: CallContext,
  workspace: string,
): Promise<(use: SinkUse) => void> {
  const scope = workspaceScope(workspace)
  const held = await Promise.all(rights.map(([permission]) => access.holds(context, permission, scope)))
  return use => {
    for (const [i, [permission, isNeeded]] of rights.entries())
      if (held[i] !== true && isNeeded(use)) throw permissionDenied(permission, scope)
  }
}
