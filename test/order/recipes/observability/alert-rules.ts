import { withBody } from '../../aim.ts'
import type { AreaRecipes, Fault } from '../../recipe.ts'
import { resourceRecipes, type Resource } from '../../resource-recipes.ts'
import { noRoom } from './limits.ts'

const otherPlaceholder: Fault = {
  reason: 'TEMPLATE_INVALID',
  apply: aim => withBody(aim, { annotations: { summary: '{{ .Labels.job }}' } }),
}

const alertRule: Resource = {
  noun: 'AlertRule',
  body: ({ newName }) => ({ name: newName(), query: 'up == 0' }),
  calls: {
    create: { faults: { rule: otherPlaceholder, quota: noRoom('alertRules') } },
    update: { body: { query: 'up == 1' }, faults: { rule: otherPlaceholder } },
    delete: {},
  },
}

export const alertRuleRecipes: AreaRecipes = { operations: resourceRecipes(alertRule) }
