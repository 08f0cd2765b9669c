import type { CallContext } from '../../../runtime/context.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { decide } from '../access/decide.ts'
import type { PolicyPlace } from '../access/policy-rules.ts'
import { nativeEngine } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { findRepositoryByName } from '../repositories/find-repository.ts'
import { tokenActions, type Access, type TokenAction } from '../tokens/scopes.ts'
import { isPathName } from '../values/names.ts'
import { policyActions } from './plane-doors.ts'

/** Returns the part of the asked access to an engine that a caller has; it may be empty, and no error tells why. */
export async function grantedAccess(
  environment: RegistryEnvironment,
  context: CallContext,
  engine: string,
  asked: readonly Access[],
): Promise<readonly Access[]> {
  const granted: Access[] = []
  for (const access of asked) {
    const actions = access.type === 'repository' ? await actionsOn(environment, context, engine, access) : []
    if (actions.length > 0) granted.push({ ...access, actions })
  }
  return granted
}

async function actionsOn(
  environment: RegistryEnvironment,
  context: CallContext,
  engine: string,
  { actions, name }: Access,
): Promise<readonly TokenAction[]> {
  const { store } = environment
  if (!isPathName(name)) return []
  const { place, possible } =
    engine === nativeEngine ? await nativePlace(environment, name) : await clusterPlace(environment, engine, name)
  if (place === undefined) return []
  const granted: TokenAction[] = []
  for (const action of possible) {
    const isAsked = actions.includes(action) || actions.includes('*')
    if (isAsked && (await decide(environment, store, { context, place, action: policyActions[action] })))
      granted.push(action)
  }
  return granted
}

/** The repository of a scope, and the actions that a token may grant on it; undefined for no such repository. */
interface ScopedPlace {
  readonly place: PolicyPlace | undefined
  readonly possible: readonly TokenAction[]
}

const nowhere: ScopedPlace = { place: undefined, possible: [] }

/**
 * Returns the place of a name on the native engine. In an absent repository, the rights on all repositories of the
 * workspace count: the call then says that it is absent.
 */
async function nativePlace({ store, taxonomy }: RegistryEnvironment, name: string): Promise<ScopedPlace> {
  const { repository, workspace } = await findRepositoryByName(store, taxonomy, nativeEngine, name)
  if (repository) return { place: repository.value, possible: tokenActions }
  return workspace === undefined
    ? nowhere
    : { place: { id: '', workspace_id: workspace, engine: nativeEngine }, possible: tokenActions }
}

/**
 * Returns the place of a name in a cluster, which checks nothing but the token: so the token also depends on the states of
 * the workspace and the repository, and the repository has one name alone, since a cluster would keep other content under
 * another name.
 */
async function clusterPlace(
  { store, taxonomy }: RegistryEnvironment,
  engine: string,
  name: string,
): Promise<ScopedPlace> {
  const place = (await findRepositoryByName(store, taxonomy, engine, name)).repository?.value
  if (place?.path !== name) return nowhere
  const effective = await taxonomy.effectiveState(store, workspaceScope(place.workspace_id))
  if (effective?.state !== 'ACTIVE') return nowhere
  const isFull = place.state === 'REGISTRY_REPOSITORY_STATE_READ_ONLY'
  return { place, possible: isFull ? tokenActions.filter(action => action !== 'push') : tokenActions }
}
