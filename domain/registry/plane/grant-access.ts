import type { CallContext } from '../../../runtime/context.ts'
import { decide } from '../access/decide.ts'
import type { PolicyPlace } from '../access/policy-rules.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { findRepositoryByName } from '../repositories/find-repository.ts'
import { tokenActions, type Access, type TokenAction } from '../tokens/scopes.ts'
import { isPathName } from '../values/names.ts'
import { policyActions } from './plane-doors.ts'

/** Returns the part of the asked access that a caller has; it may be empty, and no error tells why. */
export async function grantedAccess(
  environment: RegistryEnvironment,
  context: CallContext,
  asked: readonly Access[],
): Promise<readonly Access[]> {
  const granted: Access[] = []
  for (const access of asked) {
    const actions = access.type === 'repository' ? await actionsOn(environment, context, access) : []
    if (actions.length > 0) granted.push({ ...access, actions })
  }
  return granted
}

async function actionsOn(
  environment: RegistryEnvironment,
  context: CallContext,
  { actions, name }: Access,
): Promise<readonly TokenAction[]> {
  const { store, taxonomy } = environment
  if (!isPathName(name)) return []
  const { repository, workspace } = await findRepositoryByName(store, taxonomy, name)
  // In an absent repository, the rights on all repositories of the workspace count: the call then says that it is absent.
  const place: PolicyPlace | undefined =
    repository?.value ?? (workspace === undefined ? undefined : { id: '', workspace_id: workspace, engine: 'native' })
  if (place === undefined) return []
  const granted: TokenAction[] = []
  for (const action of tokenActions) {
    const isAsked = actions.includes(action) || actions.includes('*')
    if (isAsked && (await decide(environment, store, { context, place, action: policyActions[action] })))
      granted.push(action)
  }
  return granted
}
