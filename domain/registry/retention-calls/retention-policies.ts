import type { RegistryArea } from '../../../output/registry/area.ts'
import type { RetentionPolicyHandlers } from '../../../output/registry/handlers.ts'
import type { ParsedCreateRetentionPolicyRequest, RetentionPolicy } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { Transaction } from '../../ports/store.ts'
import type { VerbChange } from '../../resources/mutation-rules.ts'
import { Resources } from '../../resources/resources.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { filledRules, requireSoundPolicy } from '../retention/retention-form.ts'
import { retentionKind } from '../retention/retention-kind.ts'
import { dropRun } from '../retention-work/runs.ts'
import { nextRunTime } from '../retention-work/schedule.ts'
import { trialOf } from '../retention-work/orders.ts'

type Policies = Resources<RetentionPolicy, RegistryArea>

/**
 * Returns the handlers of retention policies. A creation and a change are answered PENDING, while a trial of the rules
 * fills `last_evaluation`; each mutation records an audit event. Throws RETENTION_RULE_INVALID and CRON_INVALID.
 */
export function retentionPolicies({ clock, ...environment }: RegistryEnvironment): RetentionPolicyHandlers {
  const resources: Policies = new Resources(retentionKind, { clock, ...environment })
  const record = (tx: Transaction, { workspace_id }: RetentionPolicy, context: CallContext): Promise<void> =>
    recordAuditEvent(tx, clock, context, { action: 'POLICY_CHANGE', workspace: workspace_id })
  return {
    listRetentionPolicies: (request, context) => resources.list(request, context),
    getRetentionPolicy: request => resources.get(request),
    async createRetentionPolicy(request, context) {
      requireSoundPolicy(request.body)
      const row = newPolicy(resources, request, context)
      return resources.create(request, context, row, {
        async count(tx) {
          await record(tx, row, context)
          return { procedure: trialOf(row) }
        },
      })
    },
    async updateRetentionPolicy(request, context) {
      requireSoundPolicy(request.body)
      const { rules } = request.body
      const body = { ...request.body, ...(rules && { rules: filledRules(rules) }) }
      return resources.update({ ...request, body }, context, {
        refer: async (_tx, { changed, value }) =>
          changed.some(path => path === 'enabled' || path === 'schedule') ? scheduled(value, context.now) : undefined,
        async count(tx, { value }) {
          await record(tx, value, context)
          const stored = await tx.get(retentionKind.collection, value.id)
          return stored && { procedure: trialOf(stored.value) }
        },
      })
    },
    deleteRetentionPolicy: (request, context) =>
      resources.delete(request, context, {
        async release(tx, row) {
          await dropRun(tx, row.id)
          await record(tx, row, context)
        },
      }),
  }
}

function newPolicy(
  resources: Policies,
  request: ParsedCreateRetentionPolicyRequest,
  context: CallContext,
): RetentionPolicy {
  const { etag: _precondition, rules, ...settable } = request.body
  const row = { ...resources.standard(request, context), ...settable, rules: filledRules(rules) }
  return { ...row, ...nextRunTime(row, context.now) }
}

/** Returns the change of the next run of a policy whose schedule has changed at a time in milliseconds since 1970. */
function scheduled(policy: RetentionPolicy, now: number): VerbChange<RetentionPolicy, RegistryArea> {
  const members = nextRunTime(policy, now)
  return members.next_run_time === undefined ? { cleared: ['next_run_time'] } : { members }
}
