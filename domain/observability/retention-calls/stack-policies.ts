import type {
  GetRetentionPolicyRequest,
  ListRetentionPoliciesRequest,
  RetentionPolicy,
} from '../../../output/observability/types.ts'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { isUuid } from '../../../runtime/formats.ts'
import { listInMemory, type Page } from '../../../runtime/pagination.ts'
import { derivedId } from '../../resources/derived-id.ts'
import { absentWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { defaultMembers, defaults } from '../retention/default-policies.ts'
import { retentionPolicyKind } from '../retention/retention-store.ts'
import { stackMember } from '../stacks/stack.ts'

type StackPolicyParts = Pick<ObservabilityEnvironment, 'stacks' | 'store' | 'taxonomy'>

/** The signal of a default policy, and the name of the policy. */
type Default = (typeof defaults)[number]

/** The workspace and the stack of a path. */
interface StackPlace {
  readonly workspace: string
  readonly engine: string
}

/**
 * The retention policies of stacks: one default for each signal whose member tells its retention. The policies are
 * computed at each read, because the members have the retentions.
 */
export class StackPolicies {
  readonly #parts: StackPolicyParts

  constructor(parts: StackPolicyParts) {
    this.#parts = parts
  }

  /** Returns a page of the policies. Throws WORKSPACE_NOT_FOUND and ENGINE_UNAVAILABLE. */
  async list(
    place: ListRetentionPoliciesRequest,
    { query, signal: caller }: ListContext,
  ): Promise<Page<RetentionPolicy>> {
    const created = await this.#created(place.workspace)
    const policies = await Promise.all(defaults.map(each => this.#policy(place, each, created, caller)))
    return listInMemory(
      policies.filter(policy => policy !== undefined),
      query,
    )
  }

  /**
   * Returns a policy. Throws WORKSPACE_NOT_FOUND, ENGINE_UNAVAILABLE, and RETENTION_POLICY_NOT_FOUND also for a signal
   * whose retention is not told.
   */
  async get({ id, ...place }: GetRetentionPolicyRequest, { signal: caller }: CallContext): Promise<RetentionPolicy> {
    const created = await this.#created(place.workspace)
    const named = defaults.find(each => policyId(place, each) === id)
    const policy = named && (await this.#policy(place, named, created, caller))
    if (policy) return policy
    const { noun, notFound, type } = retentionPolicyKind
    throw notFound(`workspace ${place.workspace} has no ${noun} ${id.slice(0, 80)} in the engine`, {
      resource: { type, name: id },
    })
  }

  /** Returns the time at which a workspace was created, since when its telemetry has a retention. */
  async #created(workspace: string): Promise<string> {
    const { store, taxonomy } = this.#parts
    const created = isUuid(workspace) ? await taxonomy.createTimeOf(store, workspace) : undefined
    if (created !== undefined) return created
    throw absentWorkspace(workspace)
  }

  /** Returns the policy of a signal; undefined if its retention is not told. */
  async #policy(
    place: StackPlace,
    { name, signal }: Default,
    created: string,
    caller: AbortSignal,
  ): Promise<RetentionPolicy | undefined> {
    const { engine, workspace } = place
    const reader = stackMember(this.#parts.stacks, engine, 'retention')
    const retentionMs = await reader.retentionMs(workspace, signal, caller)
    if (retentionMs === undefined) return undefined
    return {
      id: policyId(place, { signal }),
      ...defaultMembers({ name, signal }, retentionMs),
      workspace_id: workspace,
      engine,
      // The operator may change the retention of a member at any time, and a changed policy needs another etag.
      etag: retentionMs.toString(36),
      create_time: created,
      update_time: created,
    }
  }
}

/** Returns the id of the policy of a signal, which is always the same. */
const policyId = ({ engine, workspace }: StackPlace, { signal }: Pick<Default, 'signal'>): string =>
  derivedId(`${retentionPolicyKind.type}/${engine}/${signal}`, workspace)
