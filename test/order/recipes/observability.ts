import type { AreaRecipes } from '../recipe.ts'
import { ingestionConfigRecipes } from './observability/ingestion-configs.ts'
import { silenceRecipes } from './observability/silences.ts'

export const recipes: AreaRecipes = {
  operations: { ...ingestionConfigRecipes.operations, ...silenceRecipes.operations },
}
