import type { ObservabilityArea } from '../../../output/observability/area.ts'
import { retentionPolicyDefaultRequired } from '../../../output/observability/errors.ts'
import type { RetentionPolicyHandlers } from '../../../output/observability/handlers.ts'
import type { ParsedCreateRetentionPolicyRequest } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { VerbChange } from '../../resources/mutation-rules.ts'
import { Resources } from '../../resources/resources.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { nextPurgeTime } from '../retention/next-purge.ts'
import { selectorKey, selectorMatchers } from '../retention/policy-selector.ts'
import {
  activePolicy,
  disabledPolicy,
  retentionPolicyKind,
  type StoredRetentionPolicy,
} from '../retention/retention-store.ts'
import { nativeEngine } from '../stacks/stack.ts'
import { StackPolicies } from './stack-policies.ts'

type Policies = Resources<StoredRetentionPolicy, ObservabilityArea>

/**
 * Returns the handlers of retention policies, which are read only on stacks. A change is applied by the next purge.
 * Throws the errors of `selectorMatchers`, and RETENTION_POLICY_DEFAULT_REQUIRED for the end of the default of a signal.
 */
export function retentionPolicies(environment: ObservabilityEnvironment): RetentionPolicyHandlers {
  const resources: Policies = new Resources(retentionPolicyKind, environment)
  const stacks = new StackPolicies(environment)
  return {
    listRetentionPolicies: (request, context) =>
      request.engine === nativeEngine ? resources.list(request, context) : stacks.list(request, context),
    getRetentionPolicy: (request, context) =>
      request.engine === nativeEngine ? resources.get(request) : stacks.get(request, context),
    async createRetentionPolicy(request, context) {
      return resources.create(request, context, newPolicy(resources, request, context))
    },
    updateRetentionPolicy: (request, context) =>
      resources.update(request, context, {
        refer: async (_tx, { changed, value }) =>
          changed.includes('state') ? switched(value, context.now) : undefined,
      }),
  }
}

function newPolicy(
  resources: Policies,
  request: ParsedCreateRetentionPolicyRequest,
  context: CallContext,
): StoredRetentionPolicy {
  const { etag: _precondition, ...settable } = request.body
  const { selector, signal, state } = settable
  return {
    ...resources.standard(request, context),
    ...settable,
    selector_key: selectorKey(selectorMatchers(selector, signal)),
    is_default: false,
    effective_bytes: 0,
    ...(state === activePolicy && { next_purge_time: nextPurgeTime(request.workspace, context.now) }),
  }
}

/** Returns the change of the next purge of a policy whose state has changed at `now`, in milliseconds since 1970. */
function switched(
  { id, is_default, signal, state, workspace_id }: StoredRetentionPolicy,
  now: number,
): VerbChange<StoredRetentionPolicy, ObservabilityArea> {
  if (state === activePolicy) return { members: { next_purge_time: nextPurgeTime(workspace_id, now) } }
  if (!is_default) return { cleared: ['next_purge_time'] }
  throw retentionPolicyDefaultRequired(`retention policy ${id} is the default of ${signal} and cannot be disabled`, {
    precondition: [{ type: 'DEFAULT', subject: id, description: `must not be the default, or not ${disabledPolicy}` }],
  })
}
