import type { CredentialScope, RegistryAction } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { decide } from '../access/decide.ts'
import type { PolicyPlace } from '../access/policy-rules.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { policyCollection } from '../policies/policies-store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

/** The actions of OCI clients. */
const actions = ['PULL', 'PUSH', 'DELETE'] as const

/**
 * Returns what the caller may do now in the repositories of a workspace: `*` for all repositories, and an entry of its own
 * for a repository whose access policies decide otherwise. A scope without actions stands only beside `*`.
 */
export async function scopesSummary(
  environment: RegistryEnvironment,
  { engine, workspace }: { readonly engine: string; readonly workspace: string },
  context: CallContext,
): Promise<CredentialScope[]> {
  const { store } = environment
  const everywhere = await allowed(environment, context, { id: '', workspace_id: workspace, engine })
  const scopes: CredentialScope[] = everywhere.length === 0 ? [] : [{ repository: '*', actions: everywhere }]
  const withPolicies = await store.tally(policyCollection, 'repository_id', { workspace_id: workspace, engine })
  for (const id of withPolicies.keys()) {
    const repository = id === '' ? undefined : (await store.get(repositoryCollection, id))?.value
    if (!repository) continue
    const own = await allowed(environment, context, repository)
    if (own.join() !== everywhere.join()) scopes.push({ repository: repository.name, actions: own })
  }
  return scopes
}

async function allowed(
  environment: RegistryEnvironment,
  context: CallContext,
  place: PolicyPlace,
): Promise<RegistryAction[]> {
  const found: RegistryAction[] = []
  for (const action of actions)
    if (await decide(environment, environment.store, { context, place, action }))
      found.push(`REGISTRY_ACTION_${action}`)
  return found
}
