import type { AreaRecipes } from '../recipe.ts'
import { alertRuleRecipes } from './observability/alert-rules.ts'
import { ingestionConfigRecipes } from './observability/ingestion-configs.ts'
import { logSinkRecipes } from './observability/log-sinks.ts'
import { retentionRecipes } from './observability/retention.ts'
import { silenceRecipes } from './observability/silences.ts'

export const recipes: AreaRecipes = {
  operations: {
    ...alertRuleRecipes.operations,
    ...ingestionConfigRecipes.operations,
    ...logSinkRecipes.operations,
    ...retentionRecipes.operations,
    ...silenceRecipes.operations,
  },
  reasons: { ...alertRuleRecipes.reasons, ...logSinkRecipes.reasons, ...retentionRecipes.reasons },
}
