import { cronInvalid, retentionRuleInvalid } from '../../../output/registry/errors.ts'
import type { RetentionPolicyUpdate, RetentionRule, RetentionRuleInput } from '../../../output/registry/types.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { cronFault } from '../values/cron.ts'

/** The rules for the bodies of retention policies beyond their schemas (step 5). */
export const retentionForm: readonly FormRule[] = [
  rulesOf<RetentionPolicyUpdate>()(['rules'], function* ({ rules = [] }) {
    const seen = new Set<string>()
    for (const [i, { id }] of filledRules(rules).entries()) {
      if (seen.has(id)) yield { field: `rules[${i}].id`, description: 'must differ from the ids of the other rules' }
      seen.add(id)
    }
  }),
]

/** Returns rules in the form of answers: with their defaults, and `rule-` with its place for a rule without id. */
export const filledRules = (rules: readonly RetentionRuleInput[]): RetentionRule[] =>
  rules.map(({ action, id = '', ...conditions }, i) => ({
    id: id === '' ? `rule-${i + 1}` : id,
    action,
    tag_state: 'REGISTRY_TAG_STATE_ANY',
    tag_patterns: [],
    exclude_tag_patterns: [],
    kinds: [],
    ...conditions,
  }))

/**
 * Throws RETENTION_RULE_INVALID for a DELETE rule without a condition or with `keep_most_recent`, and CRON_INVALID for a
 * schedule that is no cron expression of five fields.
 */
export function requireSoundPolicy({ rules = [], schedule }: Pick<RetentionPolicyUpdate, 'rules' | 'schedule'>): void {
  for (const [i, rule] of filledRules(rules).entries()) {
    if (rule.action !== 'REGISTRY_RETENTION_ACTION_DELETE') continue
    const at = `rules[${i}]`
    if (rule.keep_most_recent !== undefined)
      throw faultAt(retentionRuleInvalid, `${at}.keep_most_recent`, 'can be given only in a KEEP rule')
    if (!hasCondition(rule))
      throw faultAt(retentionRuleInvalid, at, 'must have a condition, because a DELETE rule without one matches all')
  }
  const fault = schedule === undefined ? undefined : cronFault(schedule)
  if (fault !== undefined) throw faultAt(cronInvalid, 'schedule', fault)
}

const hasCondition = (rule: RetentionRule): boolean =>
  rule.tag_state !== 'REGISTRY_TAG_STATE_ANY' ||
  [rule.tag_patterns, rule.exclude_tag_patterns, rule.kinds].some(({ length }) => length > 0) ||
  [rule.pushed_before, rule.pushed_within, rule.pulled_before, rule.pulled_within].some(age => age !== undefined)
