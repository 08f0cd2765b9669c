import type { CallContext } from '../../../runtime/context.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { decide, type AccessParts } from '../access/decide.ts'
import { nativeEngine } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'

/** The parts that decide about pulls. */
export type PullParts = AccessParts & Pick<RegistryEnvironment, 'store'>

/**
 * Returns whether a caller may pull from a repository under `/v2/` now: the native engine has it, it is not being deleted,
 * and its workspace is ACTIVE.
 */
export async function mayPull(environment: PullParts, context: CallContext, place: StoredRepository): Promise<boolean> {
  const { store, taxonomy } = environment
  if (place.engine !== nativeEngine) return false
  if (place.state === 'REGISTRY_REPOSITORY_STATE_DELETING') return false
  if (!(await decide(environment, store, { context, place, action: 'PULL' }))) return false
  return (await taxonomy.effectiveState(store, workspaceScope(place.workspace_id)))?.state === 'ACTIVE'
}
