import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'

const rule = { action: 'REGISTRY_RETENTION_ACTION_DELETE', tag_state: 'REGISTRY_TAG_STATE_UNTAGGED' }

const noCondition: Fault = {
  reason: 'RETENTION_RULE_INVALID',
  apply: aim => withBody(aim, { rules: [{ action: rule.action }] }),
}

const noSchedule: Fault = { reason: 'CRON_INVALID', apply: aim => withBody(aim, { schedule: '@daily' }) }

const policy: Resource = {
  noun: 'RetentionPolicy',
  body: ({ newName }) => ({ name: newName(), rules: [rule] }),
  calls: {
    create: { faults: { rule: noCondition } },
    update: { body: { rules: [rule], display_name: 'Clean-up' }, faults: { rule: noSchedule } },
    delete: {},
  },
}

export const retentionRecipes: AreaRecipes = { operations: resourceRecipes(policy) }
