import type { RegistryArea } from '../../../output/registry/area.ts'
import type { AccessPolicyHandlers } from '../../../output/registry/handlers.ts'
import type {
  AccessPolicy,
  AccessPolicyUpdate,
  ParsedAccessPolicy,
  ParsedAccessRule,
} from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Updated } from '../../../runtime/field-mask.ts'
import type { Transaction } from '../../ports/store.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import type { Creation, Deletion, Update } from '../../resources/mutation-rules.ts'
import { Resources } from '../../resources/resources.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { pullersOf, settleOpenings } from '../openings/settle-openings.ts'
import { changeableRepository } from '../repositories/changeable-repository.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { requireLaterEnds, requirePrincipals, requireRuleForm } from './check-rules.ts'
import { policyKind, repositoryPolicyKind, requireOfWorkspace } from './policy-kind.ts'

type Policies = Resources<AccessPolicy, RegistryArea>

/** Returns the handlers of access policies of both levels. */
export function accessPolicies(environment: RegistryEnvironment): AccessPolicyHandlers {
  const ofWorkspace: Policies = new Resources(policyKind, environment)
  const ofRepository: Policies = new Resources(repositoryPolicyKind, environment)
  const changes = new PolicyChanges(environment)
  return {
    listAccessPolicies: (request, context) => ofWorkspace.list(request, context, { repository_id: '' }),
    async getAccessPolicy(request) {
      const { text, value } = await ofWorkspace.read(request)
      requireOfWorkspace(value)
      return text
    },
    async createAccessPolicy(request, context) {
      requireRuleForm(request.engine, request.body.rules, false)
      const row = newPolicy(ofWorkspace, request, '', context)
      return ofWorkspace.create(request, context, row, changes.creation(row, context))
    },
    async updateAccessPolicy(request, context) {
      requireRuleForm(request.engine, request.body.rules ?? [], false)
      const given = { ...request, body: filled(request.body) }
      return ofWorkspace.update(given, context, { ...changes.update(context), found: requireOfWorkspace })
    },
    deleteAccessPolicy: (request, context) =>
      ofWorkspace.delete(request, context, { ...changes.deletion(context), found: requireOfWorkspace }),
    listRepositoryAccessPolicies: (request, context) => ofRepository.list(request, context),
    getRepositoryAccessPolicy: request => ofRepository.get(request),
    async createRepositoryAccessPolicy(request, context) {
      requireRuleForm(request.engine, request.body.rules, true)
      const row = newPolicy(ofRepository, request, request.repository, context)
      return ofRepository.create(request, context, row, changes.creation(row, context))
    },
    async updateRepositoryAccessPolicy(request, context) {
      requireRuleForm(request.engine, request.body.rules ?? [], true)
      return ofRepository.update({ ...request, body: filled(request.body) }, context, changes.update(context))
    },
    deleteRepositoryAccessPolicy: (request, context) =>
      ofRepository.delete(request, context, changes.deletion(context)),
  }
}

interface NewPolicy {
  readonly workspace: string
  readonly engine: string
  readonly body: ParsedAccessPolicy
}

function newPolicy(resources: Policies, request: NewPolicy, repository: string, context: CallContext): AccessPolicy {
  const { etag: _precondition, rules, ...settable } = request.body
  const parsed: readonly ParsedAccessRule[] = rules
  return {
    ...resources.standard(request, context),
    ...settable,
    rules: parsed.map(rule => withAnsweredTimes(rule, 'expire_time')),
    scope: repository === '' ? 'REGISTRY_ACCESS_POLICY_SCOPE_WORKSPACE' : 'REGISTRY_ACCESS_POLICY_SCOPE_REPOSITORY',
    repository_id: repository,
  }
}

/** Returns a body with its rules in the form of answers, so that the same rules are no change. */
function filled({ rules, ...others }: AccessPolicyUpdate) {
  return {
    ...others,
    ...(rules && {
      rules: rules.map(rule => ({ tag_patterns: [], source_cidrs: [], ...withAnsweredTimes(rule, 'expire_time') })),
    }),
  }
}

/** The rules of the area for mutations of access policies; each mutation records an audit event. */
class PolicyChanges {
  readonly #environment: RegistryEnvironment

  constructor(environment: RegistryEnvironment) {
    this.#environment = environment
  }

  creation(row: AccessPolicy, context: CallContext): Creation<AccessPolicy, RegistryArea> {
    return {
      refer: tx => this.#requireRules(tx, row, context),
      count: tx => this.#settle(tx, row, pullersOf(row), context),
    }
  }

  update(context: CallContext): Update<AccessPolicy, RegistryArea> {
    return {
      refer: async (tx: Transaction, { changed, value }: Updated<AccessPolicy>) => {
        if (changed.includes('rules')) await this.#requireRules(tx, value, context)
        else await changeableRepository(tx, value.repository_id)
      },
      count: (tx: Transaction, { value }: Updated<AccessPolicy>) => this.#settle(tx, value, pullersOf(value), context),
    }
  }

  deletion(context: CallContext): Deletion<AccessPolicy, RegistryArea> {
    return {
      release: async (tx, row) => {
        await changeableRepository(tx, row.repository_id)
        await this.#settle(tx, row, new Set(), context)
      },
    }
  }

  async #requireRules(tx: Transaction, row: AccessPolicy, { now }: CallContext): Promise<void> {
    await changeableRepository(tx, row.repository_id)
    requireLaterEnds(row.rules, now)
    await requirePrincipals(this.#environment, tx, row.rules)
  }

  /** Keeps the openings of a changed policy, whose ALLOW rules let `pullers` pull, and records the change. */
  async #settle(
    tx: Transaction,
    policy: AccessPolicy,
    pullers: ReadonlySet<string>,
    context: CallContext,
  ): Promise<void> {
    const { repository_id, workspace_id } = policy
    const repository = repository_id === '' ? undefined : await tx.get(repositoryCollection, repository_id)
    await settleOpenings(tx, policy, repository?.value.path ?? '', pullers)
    await recordAuditEvent(tx, this.#environment.clock, context, {
      action: 'POLICY_CHANGE',
      workspace: workspace_id,
      repository: repository?.value,
    })
  }
}
