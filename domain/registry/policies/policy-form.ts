import type { AccessPolicyUpdate, AccessRuleInput } from '../../../output/registry/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'
import { parseCidr } from '../../addresses/cidr.ts'

/** The rules for the bodies of access policies beyond their schemas (step 5). */
export const policyForm: readonly FormRule[] = [
  rulesOf<AccessPolicyUpdate>()(['rules'], function* ({ rules = [] }) {
    for (const [i, rule] of rules.entries()) yield* ruleFaults(rule, `rules[${i}]`)
  }),
]

function* ruleFaults(
  { actions, effect, source_cidrs = [], tag_patterns = [] }: AccessRuleInput,
  at: string,
): Generator<FieldViolation> {
  if (tag_patterns.length > 0 && (actions.includes('REGISTRY_ACTION_PULL') || actions.includes('REGISTRY_ACTION_SCAN')))
    yield {
      field: `${at}.tag_patterns`,
      description: 'cannot be given for PULL or SCAN, because a digest reaches the artifact of any tag',
    }
  if (effect === 'REGISTRY_POLICY_EFFECT_ALLOW' && actions.includes('REGISTRY_ACTION_SCAN'))
    yield { field: `${at}.actions`, description: 'cannot have SCAN in a rule that allows' }
  for (const [i, text] of source_cidrs.entries())
    if (parseCidr(text) === undefined)
      yield {
        field: `${at}.source_cidrs[${i}]`,
        description: 'must be a network such as 192.0.2.0/24 or 2001:db8::/32',
      }
}
