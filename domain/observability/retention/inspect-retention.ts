import { ApiError } from '../../../runtime/errors.ts'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { signals } from './default-policies.ts'
import { selectorKey, selectorMatchers } from './policy-selector.ts'
import {
  activePolicy,
  retentionPolicyCollection,
  retentionPolicyKind,
  type StoredRetentionPolicy,
} from './retention-store.ts'

/** Yields the retention policies that contradict themselves, and the workspaces that lack the default of a signal. */
export async function* inspectRetention(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  const { type: resourceType } = retentionPolicyKind
  for await (const { id, value } of reader.each(retentionPolicyCollection)) {
    const message = faultOf(value)
    if (message !== undefined) yield { resourceType, id, message }
  }
  const all = await reader.tally(retentionPolicyCollection, 'workspace_id')
  const defaults = await reader.tally(retentionPolicyCollection, 'workspace_id', { is_default: true })
  for (const workspace of all.keys()) {
    const count = defaults.get(workspace) ?? 0
    if (count === signals.length) continue
    const message = `workspace ${workspace} has ${count} default policies instead of ${signals.length}`
    yield { resourceType, id: workspace, message }
  }
}

function faultOf(policy: StoredRetentionPolicy): string | undefined {
  const { is_default, next_purge_time, state } = policy
  if (is_default && state !== activePolicy) return `is the default of ${policy.signal} and not active`
  if ((state === activePolicy) !== (next_purge_time !== undefined))
    return next_purge_time === undefined ? 'is active, but is never purged' : 'is disabled, but has a next purge'
  return selectorFault(policy)
}

function selectorFault({ is_default, selector, selector_key, signal }: StoredRetentionPolicy): string | undefined {
  if (is_default && selector !== '') return `is a default, but has the selector ${selector.slice(0, 80)}`
  try {
    const matchers = is_default ? [] : selectorMatchers(selector, signal)
    return selectorKey(matchers) === selector_key ? undefined : 'has the key of another selector'
  } catch (error) {
    if (error instanceof ApiError) return `has a faulty selector: ${error.message.slice(0, 80)}`
    throw error
  }
}
