import type { AreaRecipes } from '../recipe.ts'
import { retentionRecipes } from './observability/retention.ts'
import { silenceRecipes } from './observability/silences.ts'

export const recipes: AreaRecipes = {
  operations: { ...retentionRecipes.operations, ...silenceRecipes.operations },
}
